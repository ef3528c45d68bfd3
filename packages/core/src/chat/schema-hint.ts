/**
 * Finds the tools whose schemas made the service reject a request. Where its message names none, schemas that refer to
 * themselves are the usual cause and can be detected.
 */

import { blamedTool, mayBlameSchema } from '../provider/schema-complaint.ts';
import type { Tool } from '../protocol/content.ts';

const WAY_OUT = 'Exclude them in your settings (tools.exclude, or excludeTools of the MCP server) and try again.';

/** A sentence that names the offending tools; undefined when the message does not blame a schema. */
export function describeSchemaProblem(message: string, tools: readonly Tool[]): string | undefined {
  const declarations = tools.flatMap((tool) => tool.functionDeclarations ?? []);
  const blamed = blamedTool(
    message,
    declarations.map(({ name = '' }) => name),
  );
  if (blamed !== undefined) {
    return `The provider rejects the schema of the tool ${blamed}. ${WAY_OUT}`;
  }
  if (!mayBlameSchema(message)) return undefined;
  const names = declarations
    .filter((declaration) => hasCycleInSchema(declaration.parametersJsonSchema ?? declaration.parameters))
    .map((declaration) => declaration.name ?? '');
  if (names.length === 0) return undefined;
  return `The model rejects the self-referencing schemas of these tools: ${names.join(', ')}. ${WAY_OUT}`;
}

/** Whether following `$ref`s inside the schema leads back to a place already visited. */
export function hasCycleInSchema(schema: unknown): boolean {
  return walk(schema, schema, new Set());
}

function walk(node: unknown, root: unknown, path: ReadonlySet<unknown>): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if (path.has(node)) return true;
  const here = new Set(path).add(node);
  const { $ref } = node as { $ref?: unknown };
  if (typeof $ref === 'string') {
    const target = resolveReference($ref, root);
    if (target !== undefined && walk(target, root, here)) return true;
  }
  return Object.values(node).some((child) => walk(child, root, here));
}

function resolveReference(reference: string, root: unknown): unknown {
  if (reference === '#' || reference === '#/') return root;
  if (!reference.startsWith('#/')) return undefined;
  return reference
    .slice(2)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], root);
}
