/**
 * Swagger UI, which the explorer is made of. `deno task assets` bundles it.
 *
 * @module
 */

// @ts-types="./swagger.d.ts"
export {
  default as swagger,
  type SwaggerState,
  type SwaggerSystem,
} from "npm:swagger-ui-dist@5.35.0/swagger-ui-es-bundle.js";
