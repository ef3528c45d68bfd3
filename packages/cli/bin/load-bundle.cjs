/* Apart from castor.cjs because an old Node cannot even parse import(). */
'use strict';

import('../dist/main.js').catch(function (error) {
  process.stderr.write('castor: the program could not be loaded: ' + (error && error.stack) + '\n');
  process.exitCode = 1;
});
