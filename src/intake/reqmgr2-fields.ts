import { isRow, keysIn, type Row } from "./reading/values.ts";

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
  HarvestingMemory OpenRunningTimeout DbsUrl EnableHarvesting MaxWaitTime RobustMerge TransientOutputModules
  IgnoredOutputModules OutputDatasets Team Teams AllowOpportunistic SoftTimeout GracePeriod HardTimeout
  BlockCloseMaxWaitTime Dashboard DashboardHost DashboardPort CustodialSites NonCustodialSites
  AutoApproveSubscriptionSites CustodialSubType NonCustodialSubType CustodialGroup NonCustodialGroup DeleteFromSource
  SubscriptionPriority DatasetLifetime ContainerRules RequestStatus RequestTransition PriorityTransition RequestDate
  InitialPriority RequestWorkflow CouchURL CouchDBName CouchWorkloadDBName ConfigCacheUrl ReqMgr2Only AgentDocs _id _rev
  PileupConf DQMConfigCacheID DQMUploadUrl DQMUploadProxy DQMHarvestUnit DQMSequences
  PeriodicHarvestInterval PayloadConfig Comments SubRequestType TotalEstimatedJobs TotalInputEvents TotalInputFiles
  TotalInputLumis total_jobs input_lumis input_events input_num_files ParentageResolved ChainParentageMap
  OutputModulesLFNBases OriginalRequestName OriginalRequestCouchURL SoftwareVersions VoGroup VoRole DN GlobalTagConnect
  EnableNewStageout OverrideCatalog Override RunNumber Scenario ProcScenario MaxRSS type ForceComplete changeSplitting
`);

/** The same for one StepN. */
export const CARRIED_IN_STEP = keysIn(
  "ConfigCacheUrl Campaign PrepID TransientOutputModules DQMConfigCacheID DQMSequences",
);

export const REQUEST_TYPES = ["StepChain", "ReReco"] as const;
/** What the other types would need, and what to do instead. */
export const REFUSED_TYPES: Readonly<Record<string, string>> = {
  TaskChain:
    "needs tasks that each have jobs, merges and sites of their own and wait for each other; submit it as a StepChain, or its tasks as requests one after another",
  Resubmission:
    "needs the leftovers of another agent's jobs; what fails here is recovered here: wms2 resubmit, or a clone with wms2 restart",
  DQMHarvest: "needs jobs that each read a whole run at one place and upload what they find",
  StoreResults: "needs a DBS instance of the users and files that are moved, not processed",
};

/** Which system is to run a request; one that does not say is for whoever it was given to. */
export const BACKEND = "wms2";
export const backendOf = ({ wms_backend: backend }: Row): "ours" | "other" =>
  backend === undefined || backend === null || backend === "" || backend === BACKEND ? "ours" : "other";
