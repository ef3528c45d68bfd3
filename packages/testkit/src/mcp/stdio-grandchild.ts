/** A process below a scripted stdio server that holds the inherited pipes open until a signal, or the test, ends it. */

import { closeSync, writeSync } from 'node:fs';
import { showAlive } from './stdio-folder.ts';

const READY = 3;
const [, , folder = '', ...ignored] = process.argv;

for (const signal of ignored) process.on(signal, () => {});
if (folder !== '') await showAlive(folder);
setInterval(() => {}, 2 ** 31 - 1);
writeSync(READY, '.');
closeSync(READY);
