/** Ways out of a sandbox, as lines of bash, for root and for an ordinary user. Each is tried for real, and each must fail. */

/** A line that prints the names of the attempts that succeeded. */
export function tryAll(attempts: readonly (readonly [what: string, line: string])[]): string {
  return attempts.map(([what, line]) => `(${line}) >/dev/null 2>&1 && echo 'ESCAPED: ${what}'`).join('\n');
}

/** `outside`: a process that is not in the sandbox. */
export function kernelEscapes(outside: number): [what: string, line: string][] {
  return [
    ['umount', 'umount /proc/sys'],
    ['remount', 'mount -o remount,rw,bind /'],
    ['bind', 'mount --bind /tmp /etc'],
    ['a user namespace', 'unshare -U true'],
    ['a mount namespace', 'unshare -Urm true'],
    ['a network namespace', 'unshare -Urn true'],
    ['core_pattern', 'echo evil > /proc/sys/kernel/core_pattern'],
    ['sysrq', 'echo h > /proc/sysrq-trigger'],
    ['a cgroup', 'mkdir /sys/fs/cgroup/evil || mkdir /sys/fs/cgroup/systemd/evil'],
    ['release_agent', 'for f in /sys/fs/cgroup{,/*}/release_agent; do echo x > $f && exit 0; done; false'],
    ['a device', 'mknod d b 8 0'],
    ['a device of the computer', 'head -c1 /dev/sda || head -c1 /dev/vda || head -c1 /dev/loop-control'],
    ['memory of the computer', 'head -c1 /dev/mem || head -c1 /proc/kcore'],
    ['chroot', 'chroot / true'],
    ['another user', 'su nobody -s /bin/true </dev/null || sudo -n -u nobody true'],
    ['a process outside', `kill -0 ${outside}`],
    ['its environment', `cat /proc/${outside}/environ`],
    ['a raw socket', "perl -e 'socket($s, 2, 3, 1) or exit 1'"],
    ['a packet socket', "perl -e 'socket($s, 17, 3, 0) or exit 1'"],
    ['the internet', 'echo > /dev/udp/8.8.8.8/53 || echo > /dev/tcp/8.8.8.8/53'],
    ['the address of metadata', 'echo > /dev/tcp/169.254.169.254/80'],
    ['a program in memory', `${MEMORY_PROGRAM} 'echo evil >> "$HOME/.bashrc"'`],
    ...(process.arch === 'x64' ? callEscapes(outside) : []),
  ];
}

/** Runs a shell that has no file: it is inside all the same. */
const MEMORY_PROGRAM = `python3 -c 'import os, sys; f = os.memfd_create("x"); os.write(f, open("/bin/sh", "rb").read()); os.execve(f, ["sh", "-c", sys.argv[1]], os.environ)'`;
/** getpid by the call gate of 32-bit programs. */
const OLD_CALL = `python3 -c 'import ctypes, mmap; m = mmap.mmap(-1, 4096, prot=7); m.write(b"\\xb8\\x14\\0\\0\\0\\xcd\\x80\\xc3"); ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()'`;

/** Eight bytes of memory, as the calls describe them. */
const MEMORY_PLACE = '$b = "\\0" x 8; $p = pack("JJ", unpack("J", pack("P", $b)), 8);';

function callEscapes(outside: number): [what: string, line: string][] {
  const call = (...words: (number | string)[]) => `perl -e 'exit(syscall(${words.join(', ')}) == -1)'`;
  return [
    ['a call of 32-bit programs', OLD_CALL],
    ['pivot_root', call(155, '"/tmp"', '"/tmp"')],
    ['ptrace', call(101, 16, outside, 0, 0)],
    ['process_vm_readv', `perl -e '${MEMORY_PLACE} exit(syscall(310, ${outside}, $p, 1, $p, 1, 0) == -1)'`],
    ['pidfd_open', call(434, outside, 0)],
    ['pidfd_getfd', `perl -e '$p = syscall(434, ${outside}, 0); exit($p < 0 || syscall(438, $p, 0, 0) == -1)'`],
    ['open_tree and move_mount', `perl -e '$t = syscall(428, -100, "/", 1); exit($t < 0)'`],
    ['keyctl', call(250, 0, -3, 1)],
    ['bpf', call(321, 0, 0, 0)],
    ['userfaultfd', call(323, 0)],
    ['io_uring', call(425, 1, '"\\0" x 120')],
  ];
}
