/**
 * Modules of Node's own that only a tool at work needs, loaded when first asked for:
 * imported the usual way they cost every start of the program several milliseconds.
 */

export const builtin = {
  get childProcess() {
    return process.getBuiltinModule('node:child_process');
  },
  get crypto() {
    return process.getBuiltinModule('node:crypto');
  },
  get dns() {
    return process.getBuiltinModule('node:dns/promises');
  },
  get streams() {
    return process.getBuiltinModule('node:stream/promises');
  },
  get vm() {
    return process.getBuiltinModule('node:vm');
  },
};
