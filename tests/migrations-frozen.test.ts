import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

/**
 * A migration that has landed stands in databases of others: it is never edited, renamed or removed, not even in a comment,
 * for every server compares its checksum. A new one gets its line here with the change that brings it.
 */
const LANDED: Readonly<Record<string, string>> = {
  "0001_requests.sql": "1d6faafec5b0a401a4a1e3258ac1c028ee5e0de97c2ba740d2fc82aa8917ffdf",
  "0002_workflows.sql": "5cfb0efecf6342cd1bfb5c2c4e3b2526f798904f6dd74e94d71023d0fbb78640",
  "0003_units_and_files.sql": "0f67465c1dbbab3ec4bcf4f69f37ef4855c2cdfece60887e3b5f22084583f239",
  "0004_installation.sql": "faa79ab66259813b2bdd1193f3b901cc61d84e98d18070b7f7f583596516e376",
  "0005_operators.sql": "9a1d6138351b30f6af135a555ded681341ffbbbc267696f09c6369490c6d5d24",
  "0006_waiting.sql": "d2aacda5231635337fde76004ca93213ba39ce39995010245149b17de9882cee",
  "0007_tickets.sql": "2146a2ceea8fc9ff19bbd914fb1f88c85489dfd4151c25d9de07504c3037a935",
  "0008_engines.sql": "588dd8f5b4e69cc9c820a53b8513593c84840aad0fcad6b9df63242493a82919",
  "0010_sites.sql": "0904a6b59370c622f2808c659a802cbf9e768eacd2048e42f8aeb813aabc92f8",
  "0011_imports.sql": "39a338b8e4794c090ee1ccc2226a63e387f4f361a2ca2d643145aa3c9cff9a28",
  "0012_outputs.sql": "7fec9552d9216ab96027e0e247785d481b12384339df2e23a94c9b73c2c15369",
  "0013_metrics.sql": "1642f36f631159fda2e8706155fe3f8d34f7a9cbedbf5aa054d5b74edd1b1c16",
  "0014_plain_words.sql": "4fdca3cdd0604c71f11cb69841e5725ad5e684ad46eba3edef0fe5503b4d5bbd",
  "0015_unit_proofs.sql": "4308e02f89b0bb7051b4b33303ae8bcabbe7309b72559df64b5bb545ec9f1c2c",
  "0016_remembered_rules.sql": "c5093a3f0b386cc49db979b9d478fb06dcf4cb1ff70c033878fff7f24a799667",
  "0017_desk.sql": "22ee3a709aae115edd3113742e74b06447c29532fbc25d5848957d3c5d22cfb1",
  "0018_segment_nodes.sql": "b6e590ea433675f1a7287ad3de45b8192a4e23e4ce07b2fba24d1f53ff281fd7",
  "0019_side_runs.sql": "92661e2f67aae0cad20481109088dd99876cfb4d779e55f70c4f42ad840d421f",
  "0020_requeue.sql": "3f577e0097de73db29f985d2f2e4a78872a88a262399ff210ce91b706b4aaa49",
  "0023_how_far.sql": "a0ffbfa9d9b75cd0c91ca70d4fbc90e3a67681d0bf742bd0a54a6c34cf39db7b",
  "0025_kept_on_disk.sql": "1c198be85b5814571e900fe1ea28b47d263a692dde0e50d74e464b64bd28dee5",
  "0026_repairs.sql": "d9176ef70fb8ca20e2a87661426a9d1ff53d7bf9c56fc5a22dc78ba1870bb908",
  "0027_block_sizes.sql": "e8c11d4e9f3ac0b30bb364deffaa8020f1544e29b4ce0bea3cd08098b9cc765b",
  "0031_documents.sql": "6bdb795b87f1f984f108bd303cde5982feeab472d8119dcc78275806a1e1b17a",
};

const dir = resolve(import.meta.dirname, "../migrations");
const there = readdirSync(dir).filter((name) => /^\d{4}_.*\.sql$/.test(name));
const sha256 = (name: string): string =>
  createHash("sha256")
    .update(readFileSync(join(dir, name)))
    .digest("hex");

test("landed migrations are as they were when they landed", () => {
  const changed = Object.entries(LANDED).flatMap(([name, sum]) => {
    if (!there.includes(name)) return [`${name} is gone: put it back, databases have it`];
    return sha256(name) === sum ? [] : [`${name} was edited: undo that, and write a new migration instead`];
  });
  expect(changed).toEqual([]);
});

test("a new migration has its checksum here", () => {
  const unknown = there.filter((name) => !(name in LANDED));
  expect(unknown.map((name) => `add to LANDED in ${import.meta.filename}: "${name}": "${sha256(name)}",`)).toEqual([]);
});

test("two migrations have no number in common: each is applied after the other's", () => {
  const numbers = there.map((name) => name.slice(0, 4));
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
});
