import { CODES } from "../codes.ts";
import { post } from "./post.ts";

/**
 * bin/brain.cjs: what bin/post and bin/elect start when an attempt failed, in the unit's directory. It is bundled as
 * CommonJS: Node 20 needs some 8 ms more to start an ES module.
 */
// Leaving by process.exit spares Node some milliseconds of cleaning up; all writes are synchronous and done by then.
post(process.cwd(), process.argv.slice(2), new Date()).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`post: ${error instanceof Error ? error.message : error}\n`);
    process.exit(CODES.stop);
  },
);
