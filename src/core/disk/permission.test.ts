import { expect, test } from "vitest";
import { ENTER, permits, READ, WRITE } from "./permission.ts";

const ANN = { uid: 1000, gid: 100 };
const file = (mode: number, uid = 0, gid = 0) => ({ mode: 0o40000 | mode, uid, gid });

test.each([
  ["an owner by the first digit", file(0o700, 1000), READ | WRITE | ENTER, true],
  ["alone, however open the others are", file(0o077, 1000, 100), READ, false],
  ["a group by the second", file(0o070, 0, 100), READ | WRITE | ENTER, true],
  ["alone, too", file(0o707, 0, 100), READ, false],
  ["anybody else by the third", file(0o711), ENTER, true],
  ["which is not all of it", file(0o771), READ | ENTER, false],
  ["a closed folder", file(0o700), ENTER, false],
])("%s", (_, found, need, may) => expect(permits(found, ANN, need)).toBe(may));

test("root passes everywhere", () => expect(permits(file(0, 1000, 100), { uid: 0, gid: 0 }, READ | WRITE)).toBe(true));
