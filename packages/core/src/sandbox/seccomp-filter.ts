/**
 * Generates the filter of system calls as a program of classic BPF: records of eight bytes that the kernel runs for every
 * call. Pure; seccomp-filter.test.ts runs the program for every number, and the kernel runs it in the tests of a sandbox.
 */

import { callTable } from './seccomp-calls.ts';

/** Offsets in the kernel's struct seccomp_data, little-endian. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const ARGUMENT = (index: number) => 16 + index * 8;

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER_EQUAL = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const ERROR = 0x00050000;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** New namespaces of any kind, as flags of clone. */
const NAMESPACES = 0x7e020000;
/** The time namespace shares its bit with a signal number of clone; only unshare takes it. */
const TIME_NAMESPACE = 0x80;
const X32_BIT = 0x40000000;
/** Typing into a terminal for its user, and the same through the console. */
const TERMINAL_INPUT = [0x5412, 0x541c];
/** Unix, IPv4, IPv6 and netlink; others (packets, the hypervisor's sockets, crypto) reach past the namespaces. */
const FAMILIES = [1, 2, 10, 16];

type Record8 = [code: number, whenTrue: number, whenFalse: number, value: number];

/** Undefined for an architecture whose numbers are unknown. */
export function createSeccompFilter(architecture: string): Buffer | undefined {
  const table = callTable(architecture);
  if (!table) return undefined;
  const program: Record8[] = [
    [LOAD, 0, 0, ARCHITECTURE],
    [JUMP_EQUAL, 1, 0, table.audit],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, NUMBER],
  ];
  if (table.hasX32) program.push([JUMP_GREATER_EQUAL, 0, 1, X32_BIT], [RETURN, 0, 0, ERROR | ENOSYS]);
  for (const number of Object.values(table.missing)) program.push(...whenNumber(number, ERROR | ENOSYS));
  for (const number of Object.values(table.denied)) program.push(...whenNumber(number, ERROR | EPERM));
  program.push(
    ...whenArgument(table.clone, 0, [[JUMP_ANY_BIT, 0, 1, NAMESPACES]], EPERM),
    ...whenArgument(table.unshare, 0, [[JUMP_ANY_BIT, 0, 1, NAMESPACES | TIME_NAMESPACE]], EPERM),
    ...whenEqual(table.ioctl, 1, TERMINAL_INPUT),
    ...unlessEqual(table.socket, 0, FAMILIES),
    [RETURN, 0, 0, ALLOW],
  );
  return encode(program);
}

function whenNumber(number: number, result: number): Record8[] {
  return [
    [JUMP_EQUAL, 0, 1, number],
    [RETURN, 0, 0, result],
  ];
}

/** For one call: loads an argument, returns the error if the test is true, else allows. */
function whenArgument(number: number, index: number, test: Record8[], error: number): Record8[] {
  return [
    [JUMP_EQUAL, 0, 4, number],
    [LOAD, 0, 0, ARGUMENT(index)],
    ...test,
    [RETURN, 0, 0, ERROR | error],
    [RETURN, 0, 0, ALLOW],
  ];
}

function whenEqual(number: number, index: number, values: readonly number[]): Record8[] {
  const count = values.length;
  return [
    [JUMP_EQUAL, 0, count + 3, number],
    [LOAD, 0, 0, ARGUMENT(index)],
    ...values.map((value, at): Record8 => [JUMP_EQUAL, count - at, 0, value]),
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, ERROR | EPERM],
  ];
}

function unlessEqual(number: number, index: number, values: readonly number[]): Record8[] {
  const count = values.length;
  return [
    [JUMP_EQUAL, 0, count + 3, number],
    [LOAD, 0, 0, ARGUMENT(index)],
    ...values.map((value, at): Record8 => [JUMP_EQUAL, count - at, 0, value]),
    [RETURN, 0, 0, ERROR | EAFNOSUPPORT],
    [RETURN, 0, 0, ALLOW],
  ];
}

function encode(program: readonly Record8[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, whenTrue, whenFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
