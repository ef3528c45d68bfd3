#!/usr/bin/env node
/* The door every Node can read: it says so when Node is too old, answers --version
 * alone, and otherwise hands over to the bundle. Nothing newer than ES5 in here. */
'use strict';

var NEEDED = [22, 18];

function isNewEnough(version) {
  var numbers = version.split('.').map(Number);
  return numbers[0] > NEEDED[0] || (numbers[0] === NEEDED[0] && numbers[1] >= NEEDED[1]);
}

function isVersionAsked(args) {
  return args.length === 1 && (args[0] === '--version' || args[0] === '-v');
}

if (!isNewEnough(process.versions.node)) {
  process.stderr.write(
    'castor: this is Node ' +
      process.versions.node +
      ', and Castor needs Node ' +
      NEEDED.join('.') +
      ' or newer; install it from https://nodejs.org.\n',
  );
  process.exitCode = 1;
} else if (isVersionAsked(process.argv.slice(2))) {
  process.stdout.write(require('../package.json').version + '\n');
} else {
  try {
    require('./load-bundle.cjs');
  } catch (error) {
    process.stderr.write('castor: the program could not be loaded: ' + (error && error.stack) + '\n');
    process.exitCode = 1;
  }
}
