/**
 * Modules of Node's own that only a tool at work needs, loaded when first asked for:
 * imported the usual way they cost every start of the program several milliseconds.
 */

export const builtin = {
  get childProcess(): typeof import('node:child_process') {
    return process.getBuiltinModule('node:child_process');
  },
  get crypto(): typeof import('node:crypto') {
    return process.getBuiltinModule('node:crypto');
  },
  get dns(): typeof import('node:dns/promises') {
    return process.getBuiltinModule('node:dns/promises');
  },
  get streams(): typeof import('node:stream/promises') {
    return process.getBuiltinModule('node:stream/promises');
  },
  get vm(): typeof import('node:vm') {
    return process.getBuiltinModule('node:vm');
  },
};
