/** Names against patterns with `*` and `?` only, in time linear in practice whatever the pattern. */

export function matchesWildcard(name: string, pattern: string): boolean {
  let nameIndex = 0;
  let patternIndex = 0;
  let starIndex = -1;
  let resumeIndex = 0;
  while (nameIndex < name.length) {
    const expected = pattern[patternIndex];
    if (expected === '*') {
      starIndex = patternIndex++;
      resumeIndex = nameIndex;
    } else if (expected === '?' || (expected !== undefined && expected === name[nameIndex])) {
      nameIndex++;
      patternIndex++;
    } else if (starIndex >= 0) {
      // Only the last star ever has to take more: earlier ones matched as early as they could.
      patternIndex = starIndex + 1;
      nameIndex = ++resumeIndex;
    } else {
      return false;
    }
  }
  while (pattern[patternIndex] === '*') patternIndex++;
  return patternIndex === pattern.length;
}
