import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CallOptions, call, type Reply } from "../../../tests/support/emulated-call.ts";
import { type Emulated, startEmulators } from "../index.ts";

const NEW = {
  RequestType: "StepChain",
  RequestString: "test",
  CMSSWVersion: "CMSSW_14_0_1",
  ScramArch: ["el8_amd64_gcc12"],
  GlobalTag: "GT",
  AcquisitionEra: "Era26",
  ProcessingString: "proc",
};
let emulated: Emulated;
let made = "";

beforeAll(async () => {
  emulated = await startEmulators();
  const { body } = await ask("POST", "/request", NEW);
  made = (body as { result: { request: string }[] }).result[0]!.request;
});
afterAll(() => emulated.close());

const ask = (method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Reply> =>
  call(emulated, method, emulated.urls.reqmgr2 + path, { body, ...options });
const put = (body: object): Promise<Reply> => ask("PUT", `/request/${made}`, body);
const resultOf = ({ body }: Reply): unknown[] => (body as { result: unknown[] }).result;
const status = async (): Promise<unknown> =>
  (resultOf(await ask("GET", `/request/${made}`))[0] as Record<string, { RequestStatus: string }>)[made]!.RequestStatus;

describe("reading", () => {
  test("a request is wrapped in its name; none is an empty result", async () => {
    expect(made).toMatch(/^emulate_test_\d{6}_\d{6}_\d{1,4}$/);
    expect(resultOf(await ask("GET", `/request/${made}`))).toMatchObject([
      { [made]: { ...NEW, RequestStatus: "new" } },
    ]);
    expect(resultOf(await ask("GET", `/request?name=${made}&mask=RequestType`))).toEqual([
      { [made]: { RequestName: made, RequestType: "StepChain" } },
    ]);
    expect(await ask("GET", "/request/none")).toMatchObject({ status: 200, body: { result: [] } });
  });
  test.each([
    ["?status=assigned&detail=false", 2],
    ["?status=assigned&team=wms2&campaign=Other&campaign=Demo26&detail=false", 2],
    ["?status=assigned&team=other&detail=false", 0],
    ["?status=ACTIVE&detail=false", 3],
    ["?request_type=ReReco&common_dict=1", 1],
  ])("%s", async (query, found) => {
    expect(resultOf(await ask("GET", `/request${query}`))).toHaveLength(found);
  });
  test("nobody is let in without a good certificate", async () => {
    for (const as of ["none", "expired"] as const)
      expect(await ask("GET", "/status", undefined, { as })).toMatchObject({ status: 403, text: "" });
  });
});

describe("changing", () => {
  const code = ({ status: http, headers }: Reply): unknown[] => [http, headers["x-rest-status"]];

  test("only from state to state, with what belongs to them", async () => {
    expect(code(await put({ RequestStatus: "acquired" }))).toEqual([400, "1101"]);
    expect(resultOf(await put({ RequestStatus: "assignment-approved" }))).toEqual([{ [made]: "OK" }]);
    const assign = { RequestStatus: "assigned", Team: "wms2", SiteWhitelist: ["T2_A"] };
    expect(code(await put({ ...assign, SiteWhitelist: [] }))).toEqual([400, "1102"]);
    expect(code(await put({ ...assign, SiteBlacklist: ["T2_A"] }))).toEqual([400, "1102"]);
    expect(code(await put({ ...assign, Color: "red" }))).toEqual([400, "1102"]);
    for (const move of [assign, ...["staging", "staged", "acquired"].map((RequestStatus) => ({ RequestStatus }))])
      expect((await put(move)).status).toBe(200);
    expect(await status()).toBe("acquired");
    expect(code(await put({ RequestStatus: "acquired" }))).toEqual([400, "1101"]);
  });
  test("without a status, what may not be changed is passed over", async () => {
    expect((await put({ RequestPriority: 9000, Memory: 1 })).status).toBe(200);
    const [row] = resultOf(await ask("GET", `/request/${made}`)) as Record<string, Record<string, unknown>>[];
    expect(row![made]).toMatchObject({ RequestPriority: 9000 });
    expect(row![made]!.Memory).toBeUndefined();
    expect(row![made]!.RequestTransition).toHaveLength(6);
  });
  test("what is created is checked", async () => {
    expect(code(await ask("POST", "/request", { RequestType: "StepChain" }))).toEqual([400, "1102"]);
    expect(code(await ask("POST", "/request", { ...NEW, RequestStatus: "assigned" }))).toEqual([400, "1102"]);
  });
});

test("configurations are attachments", async () => {
  const config = (path: string) => call(emulated, "GET", emulated.urls.configCache + path);
  expect((await config("/emulated_gen/configFile")).text).toContain("cms.Process");
  expect((await config("/emulated_gen")).body).toMatchObject({ _id: "emulated_gen", _attachments: { configFile: {} } });
  for (const path of ["/none", "/none/configFile"])
    expect(await config(path)).toMatchObject({ status: 404, body: { error: "not_found", reason: "missing" } });
});
