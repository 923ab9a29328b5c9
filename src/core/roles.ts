import { jobIndex } from "./names.ts";

/** What a node of a work unit is there for, and how its job is treated. */
interface Role {
  /** One for all nodes of the role. */
  readonly submitFile: string;
  /**
   * Whether a POST checks its attempts when they end. DAGMan waits a second after it; where there is none, the PRE of what
   * comes next looks (bin/elect).
   */
  readonly hasPost: boolean;
  /** Further tries after the first, unless the request says otherwise. */
  readonly retries: number;
  /** Most jobs in the queue at once, in a unit, unless the request says otherwise; null: no limit. */
  readonly throttle: number | null;
  /** Asks for what the request's own work does, or for the little that our own programs need. */
  readonly size: "work" | "helper";
  /**
   * What proves that a job succeeded. exit: its exit code; it runs nothing and reports nothing · report: its report ·
   * outputs: its report, and a whole list of what the unit produced.
   */
  readonly proof: "exit" | "report" | "outputs";
}

export const ROLES = {
  landing: { submitFile: "landing.sub", hasPost: false, retries: 3, throttle: null, size: "work", proof: "exit" },
  processing: { submitFile: "proc.sub", hasPost: true, retries: 3, throttle: 5000, size: "work", proof: "report" },
  merge: { submitFile: "merge.sub", hasPost: true, retries: 2, throttle: 100, size: "helper", proof: "outputs" },
  cleanup: { submitFile: "cleanup.sub", hasPost: true, retries: 1, throttle: 50, size: "helper", proof: "report" },
  /** Of a graph. Each size of jobs has a submit file, this is the first; limits are what its template says. */
  job: { submitFile: "job-0.sub", hasPost: true, retries: 3, throttle: null, size: "work", proof: "report" },
} as const satisfies Record<string, Role>;

export type NodeRole = keyof typeof ROLES;
export type ThrottledRole = { [R in NodeRole]: (typeof ROLES)[R]["throttle"] extends null ? never : R }[NodeRole];
export const NODE_ROLES = Object.keys(ROLES) as readonly NodeRole[];

/** Something for every role. */
export const byRole = <T>(of: (role: NodeRole) => T): Readonly<Record<NodeRole, T>> =>
  Object.fromEntries(NODE_ROLES.map((role) => [role, of(role)])) as Record<NodeRole, T>;

/** How the nodes of a work unit hang together. */
export interface Shape {
  /** nested: each unit is a DAG in a folder of its own · flat: each unit is one node of the workflow's DAG. */
  readonly layout: "nested" | "flat";
  /** In the order they are written; each begins when all nodes of the roles before it are done. */
  readonly steps: readonly ShapeStep[];
  /** The unit is finished when these nodes are done, whatever becomes of those after them. */
  readonly finishedBy: NodeRole;
}
interface ShapeStep {
  readonly role: NodeRole;
  /** one: a node that has the role's name · planned: as many as the plan has, with its names. */
  readonly nodes: "one" | "planned";
  readonly after: readonly NodeRole[];
}

/** One job finds the site, the others work there, one merges what they made, one removes what was staged. */
export const MERGE_GROUP: Shape = {
  layout: "nested",
  steps: [
    { role: "landing", nodes: "one", after: [] },
    { role: "processing", nodes: "planned", after: ["landing"] },
    { role: "merge", nodes: "one", after: ["processing"] },
    { role: "cleanup", nodes: "one", after: ["merge"] },
  ],
  finishedBy: "merge",
};

/** Each unit is one job, and has its name. */
export const FLAT_GRAPH: Shape = {
  layout: "flat",
  steps: [{ role: "job", nodes: "planned", after: [] }],
  finishedBy: "job",
};

/** How a unit is built, by its name or that of a node of it: only jobs of a graph have such names. */
export const shapeOf = (name: string): Shape => (jobIndex(name) === null ? MERGE_GROUP : FLAT_GRAPH);

/** The names of a role's nodes in a unit; `planned`: those the plan gave. */
export const nodesOf = (shape: Shape, role: NodeRole, planned: readonly string[]): readonly string[] =>
  shape.steps.find((step) => step.role === role)?.nodes === "one" ? [role] : planned;

export const allNodes = (shape: Shape, planned: readonly string[]): readonly string[] =>
  shape.steps.flatMap(({ role }) => nodesOf(shape, role, planned));

/** How many nodes of each of its roles so many units have, with so many planned nodes in all. */
export const countNodes = (
  { steps }: Shape,
  units: number,
  planned: number,
): Readonly<Partial<Record<NodeRole, number>>> =>
  Object.fromEntries(steps.map(({ role, nodes }) => [role, nodes === "one" ? units : planned]));

/** By its name; one that is no role's own is a planned node's. */
export const roleOfNode = (node: string, { steps }: Shape = shapeOf(node)): NodeRole =>
  (steps.find(({ role, nodes }) => nodes === "one" && role === node) ?? steps.find(({ nodes }) => nodes === "planned"))!
    .role;

/** Whether jobs of a role do something and report it: a landing job only lands. A role of somebody else's does. */
export const reports = (role: string): boolean => (ROLES as Record<string, Role>)[role]?.proof !== "exit";

/** Whether what a unit was to make is made before this node begins. */
export function isAfterFinish(node: string, { steps, finishedBy }: Shape = shapeOf(node)): boolean {
  const roles = steps.map(({ role }) => role);
  return roles.indexOf(roleOfNode(node)) > roles.indexOf(finishedBy);
}

/** Whether what a unit was to make is made. */
export const isUnitFinished = (shape: Shape, planned: readonly string[], isDone: (node: string) => boolean): boolean =>
  nodesOf(shape, shape.finishedBy, planned).every(isDone);

/** The roles with a limit on their jobs in the queue, as a unit's DAG lists them. */
export const throttledRoles = (shape: Shape): readonly ThrottledRole[] =>
  shape.steps.map(({ role }) => role).filter((role): role is ThrottledRole => ROLES[role].throttle !== null);
