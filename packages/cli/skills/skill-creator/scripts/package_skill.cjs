/* Packs the folder of a valid skill into <name>.skill, a zip file. Usage: node package_skill.cjs <folder> [output folder] */
'use strict';

const fs = require('fs');
const path = require('path');
const zlib = require('zlib');
const { validate } = require('./validate_skill.cjs');

const SKIPPED = new Set(['.git', 'node_modules', '.DS_Store']);
/* 1 January 1980, the first day of zip files: equal folders give equal files. */
const DATE = 0x21;

const [folder, output = '.'] = process.argv.slice(2);
if (!folder) fail('Usage: node package_skill.cjs <folder> [output folder]');
const problems = validate(folder);
if (problems.length > 0) fail(problems.join('\n'));
const name = path.basename(path.resolve(folder));
const target = path.resolve(output, `${name}.skill`);
fs.mkdirSync(path.dirname(target), { recursive: true });
fs.writeFileSync(target, zip(listFiles(folder, name)));
process.stdout.write(`Wrote ${target}\n`);

/* Links are left out: they would point elsewhere on another machine. */
function listFiles(directory, prefix) {
  const entries = fs.readdirSync(directory, { withFileTypes: true }).filter((entry) => !SKIPPED.has(entry.name));
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) return listFiles(file, `${prefix}/${entry.name}`);
    return entry.isFile() ? [{ name: `${prefix}/${entry.name}`, data: fs.readFileSync(file) }] : [];
  });
}

function zip(files) {
  const bodies = [];
  const directory = [];
  let offset = 0;
  for (const file of files) {
    const packed = zlib.deflateRawSync(file.data);
    const title = Buffer.from(file.name);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(0x800, 2);
    shared.writeUInt16LE(8, 4);
    shared.writeUInt16LE(DATE, 8);
    shared.writeUInt32LE(zlib.crc32(file.data), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(file.data.length, 18);
    shared.writeUInt16LE(title.length, 22);
    bodies.push(Buffer.from('PK\x03\x04', 'latin1'), shared, title, packed);
    const end = Buffer.alloc(14);
    end.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), shared, end, title);
    offset += 30 + title.length + packed.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, index, end]);
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
