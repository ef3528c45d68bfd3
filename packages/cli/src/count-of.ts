/** How many of something, as a person says it. Pure. */

export function countOf(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
