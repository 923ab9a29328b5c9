/** Of the present run. */
export const DAG_COUNT = (field: string) => `coalesce((dags.units ->> '${field}')::int, 0)`;
export const IS_RUNNING = "dags.status IN ('submitted', 'running')";

/** Whatever counts units of many requests counts them so; `requests`, `workflows` and `dags` are joined. */
export const COUNTS = {
  total: "units_planned",
  done: "units_done",
  failed: DAG_COUNT("failed"),
  running: `CASE WHEN ${IS_RUNNING} THEN ${DAG_COUNT("running")} ELSE 0 END`,
};
