/**
 * The validator of arguments, which a start does not need: it only declares the tools. Whatever runs calls loads it
 * first; a caller that builds a call itself gets it at once.
 */

import { createRequire } from 'node:module';
import type * as JsonSchema from '@cfworker/json-schema';

let loaded: typeof JsonSchema | undefined;

export async function loadValidator(): Promise<void> {
  loaded ??= await import('@cfworker/json-schema');
}

export function createValidator(schema: Record<string, unknown>): JsonSchema.Validator {
  // In a bundle without the package, only `loadValidator` finds it.
  loaded ??= createRequire(import.meta.url)('@cfworker/json-schema') as NonNullable<typeof loaded>;
  return new loaded.Validator(schema as JsonSchema.Schema, '2020-12', false);
}
