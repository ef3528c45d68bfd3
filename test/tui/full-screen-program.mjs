/**
 * For tests: a program with the whole screen to itself. It draws its size and the keys it
 * got, puts the cursor on a letter, says things to the terminal that must not reach the user's,
 * and leaves on `q`.
 */

const { stdin, stdout } = process;
const CURSOR_ON_X = '\x1b[3;8H';
const HOSTILE =
  '\x1b]0;hostile\x07\x1b]52;c;aG9zdGlsZQ==\x07\x1b]9;hostile\x07\x1bPhostile\x1b\\\x1b[?1003h\x1b[?1006h\x07';
let keys = '';

function draw() {
  const bottom = `\x1b[${stdout.rows};1Hthe bottom`;
  stdout.write(`\x1b[2J\x1b[Hsize ${stdout.columns}x${stdout.rows}\x1b[2;1Hkeys ${JSON.stringify(keys)}`);
  stdout.write(`\x1b[3;1Hcursor X\x1b[4;1H\x1b[38;2;9;8;7mpale\x1b[m${bottom}${CURSOR_ON_X}`);
}

stdin.setRawMode(true).setEncoding('utf8');
// The other screen, the keys of applications, brackets around what is pasted.
stdout.write(`\x1b[?1049h\x1b[?1h\x1b[?2004h${HOSTILE}`);
draw();
stdout.on('resize', draw);
stdin.on('data', (data) => {
  keys += data;
  if (!data.includes('q')) return draw();
  stdout.write('\x1b[?1049l\x1b[?1l\x1b[?2004l');
  process.stdout.write(`it was left\n`, () => process.exit(0));
});
