import { words } from "./values.ts";

/** ReqMgr2's words. They are read where they mean something to us, carried where they do not, and never guessed. */

/** What people who know ReqMgr2 write into our own form, and what it is called there. */
export const OWN_NAME_OF: Readonly<Record<string, string>> = {
  RequestName: "in this form write name",
  RequestString: "in this form write name",
  InputDataset: "in this form write input: {dataset: …}",
  RequestNumEvents: "in this form write events",
  SplittingAlgo: "in this form write split: {by: …}",
  EventsPerJob: "in this form write split: {events_per_job: …}",
  FilesPerJob: "in this form write split: {files_per_job: …}",
  LumisPerJob: "in this form write split: {lumis_per_job: …}",
  EventsPerLumi: "in this form write events_per_lumi",
  FilterEfficiency: "in this form write filter_efficiency",
  Memory: "in this form write resources: {memory: …}",
  Multicore: "in this form write resources: {cores: …}",
  TimePerEvent: "in this form write resources: {time_per_event: …}",
  SizePerEvent: "in this form write resources: {size_per_event: …}",
  SiteWhitelist: "in this form write sites: {allow: …}",
  SiteBlacklist: "in this form write sites: {deny: …}",
  RequestPriority: "in this form write priority",
  Priority: "in this form write priority",
  Campaign: "in this form write campaign",
  LumiList: "in this form write input: {lumi_mask: …}",
  RunWhitelist: "in this form write input: {runs: …}",
  status: "it is set by the server",
  status_transitions: "it is set by the server",
  superseded_by_request: "it is set by the server",
  created_at: "it is set by the server",
  updated_at: "it is set by the server",
};

/** Any of these makes a document one of ReqMgr2's, unless it has a name of our own form. */
export const MARKERS = words("RequestType RequestName RequestString StepChain TaskChain InputDataset");

/** Known to ReqMgr2, carried with the request, never acted upon. */
export const CARRIED = words(`
  GlobalTag CMSSWVersion ScramArch ConfigCacheID PrepID EventStreams HarvestingMemory OpenRunningTimeout DbsUrl
  EnableHarvesting MinMergeSize MaxMergeSize MaxMergeEvents MaxWaitTime MergedLFNBase UnmergedLFNBase RobustMerge
  RequiresGPU GPUParams JobExtraMatchRequirements ValidStatus TransientOutputModules IgnoredOutputModules
  DeterministicPileup PrimaryDataset OutputDatasets SecondaryInputDataset Team TrustSitelists TrustPUSitelists
  AllowOpportunistic SoftTimeout GracePeriod HardTimeout BlockCloseMaxWaitTime BlockCloseMaxFiles BlockCloseMaxEvents
  BlockCloseMaxSize Dashboard CustodialSites NonCustodialSites SubscriptionPriority DatasetLifetime RequestStatus
  RequestTransition PriorityTransition RequestDate InitialPriority RequestWorkflow CouchURL CouchDBName
  CouchWorkloadDBName ConfigCacheUrl ReqMgr2Only AgentDocs _id _rev MCPileup DataPileup IncludeParents
  DQMConfigCacheID DQMUploadUrl DQMHarvestUnit DQMSequences PayloadConfig Comments SubRequestType
  TotalEstimatedJobs TotalInputEvents TotalInputFiles TotalInputLumis total_jobs input_lumis input_events
  input_num_files ParentageResolved OriginalRequestCouchURL SoftwareVersions
`);

/** The same for one StepN. */
export const CARRIED_IN_STEP = words(`
  ConfigCacheID GlobalTag InputFromOutputModule PrimaryDataset Seeding LheInputFiles EventStreams CMSSWVersion ScramArch
  AcquisitionEra ProcessingString ProcessingVersion Campaign PrepID RequiresGPU GPUParams TransientOutputModules
  MCPileup DataPileup IncludeParents DeterministicPileup SizePerEvent TimePerEvent
`);

/** They would change what is processed, and we cannot honour them yet: refused rather than ignored. */
export const NOT_YET = ["RunBlacklist", "BlockWhitelist", "BlockBlacklist"] as const;

export const REQUEST_TYPES = ["StepChain", "ReReco"] as const;
export const LATER_TYPES = ["TaskChain", "Resubmission", "DQMHarvest", "StoreResults"];
