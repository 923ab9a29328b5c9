import { expect, test } from "vitest";
import type { AlertRecord } from "../../../core/operator.ts";
import { alertMessage } from "./message.ts";

const at = new Date("2026-01-01T00:00:00Z");
const alert = (key: string, subject: string): AlertRecord => ({
  id: "1",
  key,
  severity: "warning",
  subject,
  message: "held",
  count: 1,
  firstAt: at,
  lastAt: at,
  acknowledgedBy: null,
  acknowledgedAt: null,
  closedAt: null,
  revision: 1,
  lastChange: "opened",
});

test.each([
  ["held:muons", "muons", "http://wms2:8420/", "http://wms2:8420/desk/requests/muons"],
  ["stuck:muons:queued", "muons", "https://example.org/wms2", "https://example.org/wms2/desk/requests/muons"],
  ["engine:local", "local", "http://wms2:8420", "http://wms2:8420/desk/alerts"],
])("the page of %s", (key, subject, server, url) => {
  expect(alertMessage(alert(key, subject), "here", server).url).toBe(url);
});

test("where nobody knows the server there is no address", () => {
  expect(alertMessage(alert("held:muons", "muons"), "here", null).url).toBeNull();
});
