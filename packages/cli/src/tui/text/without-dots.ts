/** Words for a voice: the dot between two facts is a sign, a comma is heard. Pure. */

export function withoutDots(text: string): string {
  return text.replaceAll(' · ', ', ');
}
