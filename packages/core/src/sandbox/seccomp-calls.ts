/** The system calls that a sandbox denies, by number, for the two architectures with a filter. Data. */

export interface CallTable {
  /** As the kernel names the architecture of a call. */
  audit: number;
  /** Denied with "Operation not permitted". */
  denied: Readonly<Record<string, number>>;
  /** Denied with "Function not implemented": programs then use an older call. */
  missing: Readonly<Record<string, number>>;
  clone: number;
  unshare: number;
  ioctl: number;
  socket: number;
  /** Whether calls of the x32 interface exist. */
  hasX32: boolean;
}

/** The same on both. */
const NEW_CALLS = {
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  mount_setattr: 442,
};
const MISSING = { io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427, clone3: 435 };

const X64: CallTable = {
  audit: 0xc000003e,
  denied: {
    ...NEW_CALLS,
    syslog: 103,
    uselib: 134,
    pivot_root: 155,
    acct: 163,
    mount: 165,
    umount2: 166,
    swapon: 167,
    swapoff: 168,
    reboot: 169,
    iopl: 172,
    ioperm: 173,
    init_module: 175,
    delete_module: 176,
    quotactl: 179,
    lookup_dcookie: 212,
    kexec_load: 246,
    add_key: 248,
    request_key: 249,
    keyctl: 250,
    perf_event_open: 298,
    open_by_handle_at: 304,
    setns: 308,
    kcmp: 312,
    finit_module: 313,
    kexec_file_load: 320,
    bpf: 321,
    userfaultfd: 323,
  },
  missing: MISSING,
  clone: 56,
  unshare: 272,
  ioctl: 16,
  socket: 41,
  hasX32: true,
};

const ARM64: CallTable = {
  audit: 0xc00000b7,
  denied: {
    ...NEW_CALLS,
    lookup_dcookie: 18,
    umount2: 39,
    mount: 40,
    pivot_root: 41,
    quotactl: 60,
    acct: 89,
    kexec_load: 104,
    init_module: 105,
    delete_module: 106,
    syslog: 116,
    reboot: 142,
    add_key: 217,
    request_key: 218,
    keyctl: 219,
    swapon: 224,
    swapoff: 225,
    perf_event_open: 241,
    open_by_handle_at: 265,
    setns: 268,
    kcmp: 272,
    finit_module: 273,
    bpf: 280,
    userfaultfd: 282,
    kexec_file_load: 294,
  },
  missing: MISSING,
  clone: 220,
  unshare: 97,
  ioctl: 29,
  socket: 198,
  hasX32: false,
};

/** Undefined for an architecture without a table: its commands run without a filter, and a warning says so. */
export function callTable(architecture: string): CallTable | undefined {
  return architecture === 'x64' ? X64 : architecture === 'arm64' ? ARM64 : undefined;
}
