/** Files written by HTCondor 23.9.6 on a live pool, cut where they repeat themselves. */

export const STATUS_FAILED = `[
  Type = "DagStatus";
  DagFiles = {
    "workflow.dag"
  };
  Timestamp = 1794771102; /* "Sun Nov 15 19:31:42 2026" */
  DagStatus = 6; /* "STATUS_ERROR (failed)" */
  NodesTotal = 3;
  NodesDone = 0;
  NodesPre = 0;
  NodesQueued = 0;
  NodesPost = 0;
  NodesReady = 0;
  NodesUnready = 0;
  NodesFutile = 2;
  NodesFailed = 1;
  JobProcsHeld = 0;
  JobProcsIdle = 0; /* includes held */
]
[
  Type = "NodeStatus";
  Node = "mg_000000";
  NodeStatus = 6; /* "STATUS_ERROR" */
  StatusDetails = "Job proc (26.0.0) failed with status 1";
  RetryCount = 0;
  JobProcsQueued = 0;
  JobProcsHeld = 0;
]
[
  Type = "NodeStatus";
  Node = "x";
  NodeStatus = 7; /* "STATUS_FUTILE" */
  StatusDetails = "Had an ancestor node fail";
  RetryCount = 0;
  JobProcsQueued = 0;
  JobProcsHeld = 0;
]
[
  Type = "NodeStatus";
  Node = "z";
  NodeStatus = 7; /* "STATUS_FUTILE" */
  StatusDetails = "Had an ancestor node fail";
  RetryCount = 0;
  JobProcsQueued = 0;
  JobProcsHeld = 0;
]
[
  Type = "StatusEnd";
  EndTime = 1794771102; /* "Sun Nov 15 19:31:42 2026" */
  NextUpdate = 0; /* "none" */
]
`;

export const STATUS_REMOVED = `[
  Type = "DagStatus";
  DagFiles = {
    "workflow.dag"
  };
  Timestamp = 1794771133; /* "Sun Nov 15 19:32:13 2026" */
  DagStatus = 6; /* "STATUS_ERROR (removed)" */
  NodesTotal = 3;
  NodesDone = 1;
  NodesPre = 0;
  NodesQueued = 0;
  NodesPost = 0;
  NodesReady = 0;
  NodesUnready = 1;
  NodesFutile = 0;
  NodesFailed = 1;
  JobProcsHeld = 0;
  JobProcsIdle = 0; /* includes held */
]
[
  Type = "NodeStatus";
  Node = "a";
  NodeStatus = 6; /* "STATUS_ERROR" */
  StatusDetails = "Was STATUS_SUBMITTED";
  RetryCount = 0;
  JobProcsQueued = 0;
  JobProcsHeld = 0;
]
[
  Type = "NodeStatus";
  Node = "b";
  NodeStatus = 0; /* "STATUS_NOT_READY" */
  StatusDetails = "";
  RetryCount = 0;
  JobProcsQueued = 0;
  JobProcsHeld = 0;
]
[
  Type = "NodeStatus";
  Node = "n";
  NodeStatus = 5; /* "STATUS_DONE" */
  StatusDetails = "";
  RetryCount = 0;
  JobProcsQueued = 0;
  JobProcsHeld = 0;
]
[
  Type = "StatusEnd";
  EndTime = 1794771133; /* "Sun Nov 15 19:32:13 2026" */
  NextUpdate = 0; /* "none" */
]
`;

export const METRICS_FAILED = `{
    "client":"condor_dagman",
    "version":"23.9.6",
    "type":"metrics",
    "start_time":1794771092.924,
    "end_time":1794771102.992,
    "duration":10.068,
    "exitcode":1,
    "dagman_id":"22",
    "parent_dagman_id":"",
    "rescue_dag_number":0,
    "jobs":2,
    "jobs_failed":0,
    "jobs_succeeded":0,
    "dag_jobs":1,
    "dag_jobs_failed":1,
    "dag_jobs_succeeded":0,
    "total_jobs":3,
    "total_jobs_run":1,
    "DagStatus":2
}
`;

export const METRICS_REMOVED = `{
    "client":"condor_dagman",
    "version":"23.9.6",
    "type":"metrics",
    "start_time":1794771092.942,
    "end_time":1794771133.529,
    "duration":40.587,
    "exitcode":2,
    "dagman_id":"25",
    "parent_dagman_id":"",
    "rescue_dag_number":0,
    "jobs":3,
    "jobs_failed":0,
    "jobs_succeeded":1,
    "dag_jobs":0,
    "dag_jobs_failed":0,
    "dag_jobs_succeeded":0,
    "total_jobs":3,
    "total_jobs_run":1,
    "DagStatus":4
}
`;

export const RESCUE = `# Rescue DAG file, created after running
#   the group.dag DAG file
# Created 11/15/2026 19:31:42 UTC
# Rescue DAG version: 2.0.1 (partial)
#
# Total number of Nodes: 4
# Nodes premarked DONE: 3
# Nodes that failed: 1
#   h,<ENDLIST>

DONE v
DONE l
DONE s
`;

export const RESCUE_RETRY = `# Rescue DAG file, created after running
#   the workflow.dag DAG file
# Created 11/15/2026 19:32:13 UTC
# Rescue DAG version: 2.0.1 (partial)
#
# Total number of Nodes: 3
# Nodes premarked DONE: 1
# Nodes that failed: 0
#   <ENDLIST>

RETRY a 2
DONE n
`;

export const EVENTS = `000 (028.000.000) 2026-11-15 19:31:35 Job submitted from host: <127.0.0.1:19618?addrs=127.0.0.1-19618&alias=localhost&noUDP&sock=schedd_1_43af>
    DAG Node: v
...
000 (030.000.000) 2026-11-15 19:31:35 Job submitted from host: <127.0.0.1:19618?addrs=127.0.0.1-19618&alias=localhost&noUDP&sock=schedd_1_43af>
    DAG Node: h
...
001 (028.000.000) 2026-11-15 19:31:37 Job executing on host: <127.0.0.1:19618?addrs=127.0.0.1-19618&alias=localhost&noUDP&sock=startd_1_43af>
	SlotName: slot1_1@localhost
	CondorScratchDir = "/var/cache/wms2/pool/state/execute/dir_2503"
	Cpus = 1
	Disk = 2048
	GLIDEIN_CMSSite = "T2_XX_Alpha"
	GPUs = 0
	Memory = 128
...
028 (028.000.000) 2026-11-15 19:31:37 Job ad information event triggered.
Cluster = 28
EventTime = "2026-11-15T19:31:37.136"
EventTypeNumber = 28
ExecuteHost = "<127.0.0.1:19618?addrs=127.0.0.1-19618&alias=localhost&noUDP&sock=startd_1_43af>"
ExecuteProps = [ Cpus = 1; Disk = 2048; GPUs = 0; Memory = 128; GLIDEIN_CMSSite = "T2_XX_Alpha"; CondorScratchDir = "/var/cache/wms2/pool/state/execute/dir_2503" ]
MyType = "ExecuteEvent"
Proc = 0
SlotName = "slot1_1@localhost"
Subproc = 0
TriggerEventTypeName = "ULOG_EXECUTE"
TriggerEventTypeNumber = 1
...
001 (030.000.000) 2026-11-15 19:31:37 Job executing on host: <127.0.0.1:19618?addrs=127.0.0.1-19618&alias=localhost&noUDP&sock=startd_1_43af>
	SlotName: slot2_1@localhost
	CondorScratchDir = "/var/cache/wms2/pool/state/execute/dir_2504"
	Cpus = 1
	Disk = 2048
	GPUs = 0
	Memory = 128
...
012 (030.000.000) 2026-11-15 19:31:37 Job was held.
	WMS2 "memory"
	Code 3 Subcode 50660
...
005 (028.000.000) 2026-11-15 19:31:38 Job terminated.
	(1) Normal termination (return value 0)
		Usr 0 00:00:00, Sys 0 00:00:00  -  Run Remote Usage
		Usr 0 00:00:00, Sys 0 00:00:00  -  Run Local Usage
		Usr 0 00:00:00, Sys 0 00:00:00  -  Total Remote Usage
		Usr 0 00:00:00, Sys 0 00:00:00  -  Total Local Usage
	0  -  Run Bytes Sent By Job
	0  -  Run Bytes Received By Job
	0  -  Total Bytes Sent By Job
	0  -  Total Bytes Received By Job
	Partitionable Resources :    Usage  Request Allocated 
	   Cpus                 :        0        1         1 
	   Disk (KB)            :       45       45      2048 
	   GPUs                 :                           0 
	   Memory (MB)          :        2        1       128 
	   TimeExecute (s)      :        1                    
	   TimeSlotBusy (s)     :        1                    

	Job terminated of its own accord at 2026-11-15T19:31:38Z with exit-code 0.
...
028 (028.000.000) 2026-11-15 19:31:38 Job ad information event triggered.
Cluster = 28
Cpus = 1
CpusUsage = 0.0
Disk = 2048
DiskUsage = 45
EventTime = "2026-11-15T19:31:38.147"
EventTypeNumber = 28
ExitCode = 0
GPUs = 0
Memory = 128
MemoryUsage = 2
MyType = "JobTerminatedEvent"
Proc = 0
ReceivedBytes = 0.0
RequestCpus = 1
RequestDisk = 45
RequestMemory = 1
ReturnValue = 0
RunLocalUsage = "Usr 0 00:00:00, Sys 0 00:00:00"
RunRemoteUsage = "Usr 0 00:00:00, Sys 0 00:00:00"
SentBytes = 0.0
Subproc = 0
TerminatedNormally = true
TimeExecuteUsage = 1
TimeSlotBusyUsage = 1
ToE = [ How = "OF_ITS_OWN_ACCORD"; Who = "itself"; When = 1794771098; HowCode = 0; ExitCode = 0; ExitBySignal = false ]
TotalLocalUsage = "Usr 0 00:00:00, Sys 0 00:00:00"
TotalReceivedBytes = 0.0
TotalRemoteUsage = "Usr 0 00:00:00, Sys 0 00:00:00"
TotalSentBytes = 0.0
TriggerEventTypeName = "ULOG_JOB_TERMINATED"
TriggerEventTypeNumber = 5
...
009 (030.000.000) 2026-11-15 19:31:41 Job was aborted.
	The job attribute PeriodicRemove expression 'JobStatus == 5 && time() - EnteredCurrentStatus > 3' evaluated to TRUE
...
`;

export const DAGMAN_OUT_PARSE_ERROR = `11/15/26 19:31:32 ** condor_scheduniv_exec.23.0 (CONDOR_DAGMAN) STARTING UP
11/15/26 19:31:32 Daemon Log is logging: D_ALWAYS D_ERROR D_STATUS
11/15/26 19:31:32 Workflow batch-id: <23.0>
11/15/26 19:31:32 Workflow batch-name: <wms2-sample-b>
11/15/26 19:31:32 DAGMAN_LOG_ON_NFS_IS_ERROR setting: False
11/15/26 19:31:32 DAG Input file is workflow.dag
11/15/26 19:31:32 Parsing 1 dagfiles
11/15/26 19:31:32 Parsing workflow.dag ...
11/15/26 19:31:32 workflow.dag (line 3): ERROR: expected JOB, DATA, SUBDAG, FINAL, SCRIPT, PARENT, RETRY, ABORT-DAG-ON, DOT, VARS, PRIORITY, CATEGORY, MAXJOBS, CONFIG, SET_JOB_ATTR, SPLICE, PROVISIONER, SERVICE, NODE_STATUS_FILE, REJECT, JOBSTATE_LOG, PRE_SKIP, DONE, CONNECT, PIN_IN, PIN_OUT, INCLUDE, SAVE_POINT_FILE orSUBMIT-DESCRIPTION token (found FOO)
11/15/26 19:31:32 Removing any/all submitted HTCondor jobs...
11/15/26 19:31:32 Running: /usr/bin/condor_rm -const DAGManJobId==23 -reason Startup' 'Error:' 'DAGMan' 'failed' 'to' 'parse' 'DAG' 'file' '(workflow.dag).' 'Was' 'likely' 'in' 'recovery' 'mode.
11/15/26 19:31:32 Failed to parse workflow.dag
11/15/26 19:31:32 **** condor_scheduniv_exec.23.0 (condor_DAGMAN) pid 2469 EXITING WITH STATUS 1
`;
