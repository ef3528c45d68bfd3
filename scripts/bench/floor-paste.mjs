/** Floor of a paste: the minimal program that reads one and reports it. It ends with Ctrl+C. */

const PLACEHOLDER = 'Type your message';
const END = Buffer.from('\x1b[201~');
let last = Buffer.alloc(0);

process.stdin.setRawMode(true);
process.stdin.on('data', (bytes) => {
  if (bytes.includes(3)) process.exit();
  last = Buffer.concat([last.subarray(-END.length), bytes]);
  if (last.includes(END)) process.stdout.write('\r\x1b[K❯ [Pasted Text');
});
process.stdout.write(`\x1b[?2004h❯ ${PLACEHOLDER}`);
