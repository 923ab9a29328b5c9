import { setTimeout as sleep } from "node:timers/promises";
import { seeded } from "./crash-story.ts";
import { ServerUnderTest } from "./server.ts";

const QUICK_START_MS = 2000;

/**
 * A server that is killed without warning again and again, while stories go on. Whoever calls it meanwhile does what a
 * person would: asks again until it is back. So every action may reach it twice, and must mean the same as once.
 */
export class ReapedServer extends ServerUnderTest {
  deaths = 0;
  #reaping: Promise<void> | null = null;
  #isOver = false;

  protected override async call(path: string, init?: RequestInit): Promise<Response> {
    for (const deadline = Date.now() + 60_000; ; await sleep(100)) {
      try {
        const answer = await super.call(path, init);
        // The server may die in the middle of its answer.
        return new Response((await answer.text()) || null, answer);
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
    }
  }

  /** A submission whose answer was lost with the server is there already when it is sent again. */
  override async submit(request: unknown): Promise<string> {
    const { status, body } = await this.send("POST", "/requests", request);
    if (status !== 201 && status !== 409) throw new Error(`submit: ${status} ${JSON.stringify(body)}`);
    return (request as { name: string }).name;
  }

  /**
   * So many lives of `minSec` to `maxSec`, or fewer if `spare` is called. Where the machine is so busy that a start takes
   * long, lives are longer too: else it would die before its first pass, again and again.
   */
  reap(seed: number, lives: { minSec: number; maxSec: number; times: number }): void {
    const random = seeded(seed);
    let slowness = 1;
    this.#reaping = (async () => {
      while (!this.#isOver && this.deaths < lives.times) {
        await sleep(1000 * slowness * (lives.minSec + random() * (lives.maxSec - lives.minSec)));
        if (this.#isOver) return;
        await this.kill("SIGKILL");
        this.deaths += 1;
        const began = Date.now();
        await this.start(180);
        slowness = Math.min(10, Math.max(1, (Date.now() - began) / QUICK_START_MS));
      }
    })();
  }

  async spare(): Promise<void> {
    this.#isOver = true;
    await this.#reaping;
  }
}
