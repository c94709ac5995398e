'use strict';
// Runs Perfetto's trace processor, as Perfetto's user interface ships it in WebAssembly, like the
// program trace_processor_shell:
//
//	node shell.js DIR -q QUERY.sql TRACE
//
// DIR is the folder of engine_bundle.js. The result of the query, of text columns only, is printed
// as CSV, a line of column names first.

const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

// Methods and fields of TraceProcessorRpc, QueryArgs and QueryResult.
const method = {append: 1, finalize: 2, query: 3, status: 10};
const rpc = {message: 1, request: 2, fatal: 5, append: 101, queryArgs: 103,
  appendResult: 201, queryResult: 203, status: 210, finalizeResult: 212};
const cell = {null: 1, text: 4};

// proto encodes fields, of numbers and bytes, as a Protocol Buffers message.
function proto(fields) {
  const parts = [];
  const varint = n => {
    const bytes = [];
    for (; n > 127; n = Math.floor(n / 128)) bytes.push(n % 128 | 128);
    parts.push(Buffer.from([...bytes, n]));
  };
  for (const [field, value] of fields) {
    if (typeof value === 'number') {
      varint(field * 8);
      varint(value);
    } else {
      varint(field * 8 + 2);
      varint(value.length);
      parts.push(value);
    }
  }
  return Buffer.concat(parts);
}

// fieldsOf decodes a message into its fields. Those of a fixed size are left out.
function* fieldsOf(message) {
  let at = 0;
  const varint = () => {
    let n = 0;
    for (let scale = 1; ; scale *= 128) {
      const b = message[at++];
      n += (b & 127) * scale;
      if (b < 128) return n;
    }
  };
  while (at < message.length) {
    const tag = varint();
    switch (tag % 8) {
      case 0: yield [Math.floor(tag / 8), varint()]; break;
      case 1: at += 8; break;
      case 2: {
        const size = varint();
        yield [Math.floor(tag / 8), message.subarray(at, at += size)];
        break;
      }
      case 5: at += 4; break;
      default: throw new Error(`a field of wire type ${tag % 8}`);
    }
  }
}

const first = (message, field) => {
  for (const [f, value] of fieldsOf(message)) if (f === field) return value;
  return undefined;
};

// start runs the engine, which takes itself for a worker of a page, and returns what sends it a
// request and returns its replies.
async function start(dir) {
  const replies = [];
  const port = {postMessage: data => replies.push(Buffer.from(data))};
  const read = url => fs.readFileSync(path.join(dir, path.basename(url)));
  class Request {
    open(_, url) { this.url = url; }
    send() { this.response = Uint8Array.from(read(this.url)).buffer; }
  }
  const log = (...args) => console.error(...args);
  const worker = {
    console: {log, warn: log, error: log}, crypto, performance, setTimeout, clearTimeout,
    TextDecoder, TextEncoder, URL, XMLHttpRequest: Request,
    WorkerGlobalScope: class {}, importScripts() {},
    location: {href: 'http://localhost/engine_bundle.js'},
  };
  worker.self = worker;
  vm.createContext(worker);
  const Bytes = vm.runInContext('Uint8Array', worker); // which it takes for another class than ours
  vm.runInContext(read('engine_bundle.js').toString(), worker, {filename: 'engine_bundle.js'});
  worker.onmessage({data: port});
  await new Promise(resolve => setTimeout(resolve)); // it may have started in a promise

  let seq = 0;
  return (...fields) => {
    const body = proto([[1, seq++], ...fields]);
    replies.length = 0;
    port.onmessage({data: Bytes.from(proto([[rpc.message, body]]))});
    const all = [];
    for (const [, reply] of fieldsOf(Buffer.concat(replies))) {
      const fatal = first(reply, rpc.fatal);
      if (fatal) throw new Error(fatal.toString());
      all.push(reply);
    }
    return all;
  };
}

// rowsOf returns the names and the rows of a query's replies.
function rowsOf(replies) {
  const names = [], cells = [];
  for (const reply of replies) {
    for (const [field, value] of fieldsOf(first(reply, rpc.queryResult))) {
      if (field === 1) names.push(value.toString());
      if (field === 2 && value.length > 0) throw new Error(value.toString());
      if (field !== 3) continue;
      const texts = (first(value, 5) ?? Buffer.alloc(0)).toString().split('\0');
      for (const kind of first(value, 1) ?? []) {
        if (kind !== cell.text && kind !== cell.null) throw new Error('a column is not of text');
        cells.push(kind === cell.text ? texts.shift() : '[NULL]');
      }
    }
  }
  const rows = [];
  while (cells.length > 0) rows.push(cells.splice(0, names.length));
  return [names, ...rows];
}

async function main(dir, flag, query, trace) {
  if (flag !== '-q' || trace === undefined) {
    throw new Error('usage: node shell.js DIR -q QUERY.sql TRACE');
  }
  const send = await start(dir);
  const check = (replies, field, error) => {
    for (const reply of replies) {
      const message = first(first(reply, field) ?? Buffer.alloc(0), error);
      if (message?.length > 0) throw new Error(message.toString());
    }
    return replies;
  };
  check(send([rpc.request, method.append], [rpc.append, fs.readFileSync(trace)]),
    rpc.appendResult, 2);
  check(send([rpc.request, method.finalize]), rpc.finalizeResult, 1);
  const rows = rowsOf(send([rpc.request, method.query],
    [rpc.queryArgs, proto([[1, fs.readFileSync(query)]])]));
  for (const row of rows) {
    console.log(row.map(text => `"${text.replaceAll('"', '""')}"`).join(','));
  }
}

main(...process.argv.slice(2)).catch(err => {
  console.error('shell.js:', err.message);
  process.exitCode = 1;
});
