import { z } from "zod";
import type { ApiPorts } from "../ports.ts";
import { SharedLook } from "../shared-look.ts";
import type { Api } from "./api.ts";

/** Prometheus text. Scrapers that come at once share one look into the store. */
export function metricRoutes(app: Api, { metrics, store }: ApiPorts, paths: readonly string[]): void {
  const scrapes = new SharedLook<{ contentType: string; text: string }>();
  for (const path of paths) {
    app.get(
      path,
      {
        schema: {
          summary: "Prometheus metrics",
          response: { 200: { description: "Prometheus text", content: { "text/plain": { schema: z.string() } } } },
        },
      },
      async (_request, reply) => {
        const { contentType, text } = await scrapes.ask("", () => metrics.render(store));
        return reply.header("content-type", contentType).serializer(String).send(text);
      },
    );
  }
}
