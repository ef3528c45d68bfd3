/**
 * Names what a command line may do that is hard to undo, in words for the row of a question. It reads the text only, so
 * it finds the usual forms and promises nothing: the policy decides, this tells. Pure.
 */

/** A word of the line as a command: at its beginning, after an operator, or behind a wrapper such as `xargs`. */
function runs(names: string, rest = ''): RegExp {
  return new RegExp(
    `(?:^|[;&|({\`\\n]|\\$\\()\\s*(?:(?:env|nohup|time|xargs|command|exec)\\s+(?:-\\S+\\s+)*)*(?:sudo\\s+(?:-\\S+\\s+)*)?(?:\\S*/)?(?:${names})\\b${rest}`,
    'm',
  );
}

const RISKS: readonly (readonly [risk: string, pattern: RegExp])[] = [
  ['deletes files', runs('rm|rmdir|unlink|shred|git\\s+clean')],
  ['deletes files', /\bfind\b[^;&|]*\s-delete\b|\bgit\s+(?:reset\s+--hard|checkout\s+--|restore)\b/],
  ['runs what it downloads', /\b(?:curl|wget)\b[^;&]*\|\s*(?:sudo\s+)?(?:\S*\/)?(?:ba|z|da|k|fi)?sh\b/],
  ['runs what it downloads', /\b(?:ba|z)?sh\s+(?:-c\s+)?["']?(?:<\(|\$\()\s*(?:curl|wget)\b/],
  [
    'writes outside the workspace',
    /(?:>>?|\btee\b(?:\s+-a)?|--prefix[= ])\s*["']?(?:\/(?!dev\/null|tmp\/)|~\/|\$HOME)/,
  ],
  ['runs as root', runs('sudo|doas|su')],
  ['pushes or publishes', runs('git\\s+push|(?:npm|pnpm|yarn|cargo|gem)\\s+publish|twine\\s+upload|docker\\s+push')],
  ['pushes or publishes', runs('gh\\s+(?:release|pr)\\s+(?:create|merge)')],
  ['sends files away', /\bcurl\b[^;&|]*\s(?:-T|--upload-file|-F|--form|-d\s*@|--data(?:-binary)?[= ]*@)/],
  ['sends files away', runs('scp|rsync|nc|ncat|ftp|sftp')],
  [
    'changes what runs later',
    /\.git\/hooks\/|\.github\/workflows\/|\.(?:bash|zsh)rc\b|\.(?:bash_|z)?profile\b|\bcrontab\b/,
  ],
];

/** Each once, in the order of the table. */
export function risksOf(command: string): readonly string[] {
  return [...new Set(RISKS.filter(([, pattern]) => pattern.test(command)).map(([risk]) => risk))];
}
