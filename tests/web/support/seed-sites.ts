import { eventually } from "../../support/eventually.ts";
import type { ServerUnderTest } from "../../support/server.ts";

/** May run at one site only, where everything fails by the place's fault. */
export const SOUTH_ONLY = "storage-check";
const SOUTH = "T2_DE_South";

export const southOnly = { sites: { allow: [SOUTH] }, requestor: "kim" };

/** Nobody keeps jobs away from the site any more: what a request learned of it must not reach other stories. */
export async function liftBans(server: ServerUnderTest): Promise<void> {
  await server.send("DELETE", `/sites/${SOUTH}/ban?reason=for+the+next+story`);
}

/** The watch looks at requests only now and then. */
export async function untilAlert(server: ServerUnderTest, subject: string): Promise<void> {
  await eventually(
    `there is an alert about ${subject}`,
    async () => (await server.get("/alerts")).items.some((alert: { subject: string }) => alert.subject === subject),
    { deadlineSec: 80 },
  );
}
