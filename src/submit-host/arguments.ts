import { isName } from "../domain/names.ts";
import { PostTrouble } from "./trouble.ts";

/** What DAGMan tells a POST script: JOB RETURN RETRY MAX_RETRIES CLUSTERID. */
export interface PostArguments {
  readonly node: string;
  readonly returned: number;
  readonly retry: number;
  readonly maxRetries: number;
  /** null: nothing was submitted. */
  readonly cluster: number | null;
}

/** An argument that cannot be true never helps a node: it is taken as a failure without retries. */
export function readArguments(argv: readonly string[]): PostArguments {
  const [node = "", returned, retry, maxRetries, cluster] = argv;
  if (!isName(node)) throw new PostTrouble("person", `not the name of a node: ${JSON.stringify(node)}`);
  const number = (text: string | undefined, otherwise: number): number =>
    /^-?\d{1,12}$/.test(text ?? "") ? Number(text) : otherwise;
  const id = number(cluster, -1);
  return {
    node,
    returned: number(returned, -1003),
    retry: Math.max(0, number(retry, 0)),
    maxRetries: Math.max(0, number(maxRetries, 0)),
    cluster: id > 0 ? id : null,
  };
}
