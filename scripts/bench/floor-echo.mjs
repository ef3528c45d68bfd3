/** Floor of a key: the minimal program that shows what is typed into it. It ends with Ctrl+C. */

const PLACEHOLDER = 'Type your message';
let text = '';

process.stdin.setRawMode(true);
process.stdin.setEncoding('utf8').on('data', (keys) => {
  if (keys.includes('\x03')) process.exit();
  for (const key of keys) text = key === '\x7f' ? text.slice(0, -1) : text + key;
  process.stdout.write(`\r\x1b[K❯ ${text || PLACEHOLDER}`);
});
process.stdout.write(`❯ ${PLACEHOLDER}`);
