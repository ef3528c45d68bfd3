/** Finds in the words of a rejection that a tool's declaration is the cause; there is no code for it. */

/** Gemini's messages when a declaration may be invalid. */
const SCHEMA_COMPLAINTS = ['maximum schema depth exceeded', 'Request contains an invalid argument'];

export function mayBlameSchema(message: string): boolean {
  return SCHEMA_COMPLAINTS.some((complaint) => message.includes(complaint));
}

/** How providers name the tool whose schema they reject: by its name, or by its place in the list. */
const BY_NAME = /invalid schema for function ['"]([^'"]+)['"]|schema (?:of|for) (?:tool|function) ['"`]([^'"`]+)['"`]/i;
const BY_PLACE = /\btools(?:\.|\[)(\d+)\b.*schema/is;
/** Google's: `tools[0].function_declarations[3].parameters…`, and on Vertex AI "`name` functionDeclaration". */
const BY_DECLARATION = /\bfunction_?declarations\[(\d+)\]|`([^`]+)` functionDeclaration\b/i;

/** The tool that a rejection names, of those that were sent in this order. */
export function blamedTool(message: string, sent: readonly string[]): string | undefined {
  const [, first, second] = BY_NAME.exec(message) ?? [];
  const named = first ?? second;
  if (named !== undefined) return named;
  const [, declaration, declared] = BY_DECLARATION.exec(message) ?? [];
  if (declared !== undefined) return declared;
  const place = declaration ?? BY_PLACE.exec(message)?.[1];
  return place === undefined ? undefined : sent[Number(place)];
}
