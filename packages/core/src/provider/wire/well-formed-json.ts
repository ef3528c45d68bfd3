/**
 * Serialises JSON as well-formed Unicode. JSON.stringify writes a lone surrogate as an escape, which the service
 * rejects. Only a text with such an escape is processed a second time.
 */

export function toWellFormedJson(value: object): string {
  const json = JSON.stringify(value);
  return json.includes('\\ud') ? JSON.stringify(toWellFormed(JSON.parse(json))) : json;
}

function toWellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(toWellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), toWellFormed(item)]));
}
