/**
 * The program of the process that asks the keyring: one JSON request a line, one answer a line. Its text is CommonJS,
 * run with `node -e`; its argument is the path of the keyring's module.
 */

/** At the end of its input it kills itself: an exit would wait for a keyring that waits for the user. */
export const KEYRING_SOURCE = `
const { AsyncEntry } = require(process.argv[1]);
const tell = (answer) => process.stdout.write(JSON.stringify(answer) + '\\n');
async function ask({ id, method, service, account, value }) {
  try {
    // The kernel's keyring would forget a secret with the next boot.
    const entry = new AsyncEntry(service, account, { linux: { store: 'secret-service' } });
    tell({ id, result: await (value === undefined ? entry[method]() : entry[method](value)) });
  } catch (error) {
    tell({ id, error: String((error && error.message) || error) });
  }
}
require('node:readline')
  .createInterface({ input: process.stdin })
  .on('line', (line) => ask(JSON.parse(line)))
  .on('close', () => process.kill(process.pid, 'SIGKILL'));
tell({ id: 0 });
`;
