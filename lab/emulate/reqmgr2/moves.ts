/** From where to where a request may go, and what may be changed on the way. */
export const MOVES: Readonly<Record<string, readonly string[]>> = {
  new: ["new", "assignment-approved", "rejected"],
  "assignment-approved": ["assigned", "rejected"],
  assigned: ["staging", "aborted"],
  staging: ["staged", "aborted"],
  staged: ["acquired", "aborted", "failed"],
  acquired: ["running-open", "aborted", "failed"],
  "running-open": ["running-closed", "force-complete", "aborted"],
  "running-closed": ["completed", "force-complete", "aborted"],
  "force-complete": ["completed"],
  failed: ["assigned", "rejected"],
  completed: ["closed-out", "rejected"],
  "closed-out": ["announced", "rejected"],
  announced: ["normal-archived", "rejected"],
  aborted: ["aborted-completed"],
  "aborted-completed": ["aborted-archived"],
  "aborted-archived": [],
  rejected: ["rejected-archived"],
  "rejected-archived": [],
  "normal-archived": ["rejected-archived"],
};

const PRIORITY = ["RequestPriority"];
const SITES = [...PRIORITY, "SiteWhitelist", "SiteBlacklist"];
export const ASSIGNMENT = [
  ...["Team", "SiteWhitelist", "SiteBlacklist", "TrustSitelists", "TrustPUSitelists", "AllowOpportunistic"],
  ...["MergedLFNBase", "UnmergedLFNBase", "MinMergeSize", "MaxMergeSize", "MaxMergeEvents", "SoftTimeout"],
  ...["GracePeriod", "HardTimeout", "BlockCloseMaxWaitTime", "BlockCloseMaxFiles", "BlockCloseMaxEvents"],
  ...["BlockCloseMaxSize", "Dashboard", "CustodialSites", "NonCustodialSites", "SubscriptionPriority"],
  ...["DatasetLifetime", "AcquisitionEra", "ProcessingString", "ProcessingVersion", "Memory", "Multicore"],
  ...["EventStreams", "RequestPriority"],
];
/** By the state a request is in; in any other nothing can be changed. */
export const EDITABLE: Readonly<Record<string, readonly string[]>> = {
  new: PRIORITY,
  assigned: PRIORITY,
  staged: PRIORITY,
  "running-closed": PRIORITY,
  staging: SITES,
  acquired: SITES,
  "running-open": SITES,
  "assignment-approved": ASSIGNMENT,
};

export const TYPES = ["ReReco", "TaskChain", "StepChain", "Resubmission", "DQMHarvest", "StoreResults"];
export const STATISTICS = ["total_jobs", "input_lumis", "input_events", "input_num_files"];
