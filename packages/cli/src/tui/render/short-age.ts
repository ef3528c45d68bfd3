/** Formats how long ago something happened, for a column: `5 min`, `2 h`, `4 d`. Pure. */

export function shortAge(milliseconds: number): string {
  const minutes = Math.floor(Math.max(0, milliseconds) / 60_000);
  if (minutes < 60) return minutes === 0 ? 'now' : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}
