import swagger, { type SwaggerTransformObject } from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import { type Api, BASE } from "./api-types.ts";

/** OpenAPI out of the table of operations. Must come before the routes: it watches them being added. */
export function describeRoutes(app: Api, version: string): void {
  app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "WMS2",
        version,
        description:
          "A workload manager that recovers. Reading is open on loopback; changes need an operator token. " +
          "Errors are RFC 9457 problems; lists are paged by cursor; every GET answers with text for Accept: text/plain; the ETag of a request is its version.",
      },
      components: { securitySchemes: { operator: { type: "http", scheme: "bearer" } } },
    },
    transform: jsonSchemaTransform,
    transformObject: (input) => pruned(jsonSchemaTransformObject(input)),
  });
}

/** Every schema comes twice, as it is read and as it is written; only those that something refers to stay. */
function pruned(document: ReturnType<SwaggerTransformObject>): ReturnType<SwaggerTransformObject> {
  const { components, ...rest } = document as { components?: { schemas?: Record<string, unknown> } };
  const kept: Record<string, unknown> = {};
  const keep = (part: unknown): void => {
    for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const schema = components?.schemas?.[name!];
      if (schema === undefined || name! in kept) continue;
      kept[name!] = schema;
      keep(schema);
    }
  };
  keep(rest);
  return { ...document, components: { ...components, schemas: kept } } as typeof document;
}

/** The page for people, and the document for programs. */
export function docsRoutes(app: Api): void {
  app.get(`${BASE}/openapi.json`, { schema: { hide: true } }, async () => app.swagger());
  const withoutBar = { filename: "wms2.css", content: ".swagger-ui .topbar { display: none }" };
  app.register(swaggerUi, {
    routePrefix: "/docs",
    uiConfig: { docExpansion: "list", deepLinking: true },
    theme: { title: "WMS2 API", css: [withoutBar] },
  });
}
