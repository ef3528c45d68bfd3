/**
 * Loads modules of Node that only a running tool needs, on first use: a static import would
 * cost every start of the program several milliseconds.
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
  get http() {
    return process.getBuiltinModule('node:http');
  },
  get net() {
    return process.getBuiltinModule('node:net');
  },
  get os() {
    return process.getBuiltinModule('node:os');
  },
  get streams() {
    return process.getBuiltinModule('node:stream/promises');
  },
  get vm() {
    return process.getBuiltinModule('node:vm');
  },
};
