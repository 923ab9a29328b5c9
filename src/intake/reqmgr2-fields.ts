import { isRow, keysIn, type Row } from "../reading/values.ts";

/** ReqMgr2's keys. They are read where they mean something to us, carried where they do not, and never guessed. */

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
export const MARKERS = keysIn("RequestType RequestName RequestString StepChain TaskChain InputDataset");
export const isOurs = (row: Row): boolean =>
  ["name", "request_name", "kind"].some((key) => Object.hasOwn(row, key) && !isRow(row[key]));

/** ReqMgr2 itself adds these: where one of them stands, every key was its own, and no guess refuses any. */
export const SERVER_KEYS = keysIn("RequestStatus RequestTransition RequestDate InitialPriority _id _rev");

/** Parts of the names of outputs, which may differ by step. */
export const NAME_PARTS = keysIn("AcquisitionEra ProcessingString ProcessingVersion PrimaryDataset");

/** Known to ReqMgr2, carried with the request, never acted upon. */
export const CARRIED = keysIn(`
  GlobalTag CMSSWVersion ScramArch ConfigCacheID PrepID EventStreams HarvestingMemory OpenRunningTimeout DbsUrl
  EnableHarvesting MinMergeSize MaxMergeSize MaxMergeEvents MaxWaitTime MergedLFNBase UnmergedLFNBase RobustMerge
  ValidStatus TransientOutputModules IgnoredOutputModules DeterministicPileup OutputDatasets SecondaryInputDataset
  Team Teams AllowOpportunistic SoftTimeout GracePeriod HardTimeout BlockCloseMaxWaitTime BlockCloseMaxFiles
  BlockCloseMaxEvents BlockCloseMaxSize Dashboard DashboardHost DashboardPort CustodialSites NonCustodialSites
  AutoApproveSubscriptionSites CustodialSubType NonCustodialSubType CustodialGroup NonCustodialGroup DeleteFromSource
  SubscriptionPriority DatasetLifetime ContainerRules RequestStatus RequestTransition PriorityTransition RequestDate
  InitialPriority RequestWorkflow CouchURL CouchDBName CouchWorkloadDBName ConfigCacheUrl ReqMgr2Only AgentDocs _id _rev
  MCPileup DataPileup PileupConf DQMConfigCacheID DQMUploadUrl DQMUploadProxy DQMHarvestUnit DQMSequences
  PeriodicHarvestInterval PayloadConfig Comments SubRequestType TotalEstimatedJobs TotalInputEvents TotalInputFiles
  TotalInputLumis total_jobs input_lumis input_events input_num_files ParentageResolved ChainParentageMap
  OutputModulesLFNBases OriginalRequestName OriginalRequestCouchURL SoftwareVersions VoGroup VoRole DN GlobalTagConnect
  EnableNewStageout OverrideCatalog Override RunNumber Scenario ProcScenario MaxRSS type ForceComplete changeSplitting
`);

/** The same for one StepN. */
export const CARRIED_IN_STEP = keysIn(`
  ConfigCacheID ConfigCacheUrl GlobalTag InputFromOutputModule Seeding LheInputFiles EventStreams CMSSWVersion ScramArch
  Campaign PrepID TransientOutputModules MCPileup DataPileup DeterministicPileup SizePerEvent TimePerEvent
  DQMConfigCacheID DQMSequences
`);

export const REQUEST_TYPES = ["StepChain", "ReReco"] as const;
export const LATER_TYPES = ["TaskChain", "Resubmission", "DQMHarvest", "StoreResults"];
