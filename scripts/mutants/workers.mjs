import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/**
 * Processes that run tests. Each does one task after another; one that does not answer in time is ended with its fork, and
 * another takes its place.
 */
export class Workers {
  #folder
  #sources
  #server = createServer((socket) => this.#greet(socket))
  #waiting = new Map()
  #started = 0
  #running = new Set()

  constructor({ folder, sources }) {
    this.#folder = folder
    this.#sources = sources
  }

  async open() {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  /** Ends the processes that are still there: one with an endless loop would not notice that this one is gone. */
  close() {
    for (const worker of this.#running) worker.kill()
    this.#server.close()
  }

  /** Does all tasks with this many processes at once: what `toMessage` makes of one, if it makes anything, is sent. */
  async run(tasks, { count, limitOf, toMessage, onResult }) {
    const queue = [...tasks]
    const work = async () => {
      let worker
      for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
        const message = toMessage(task)
        if (message === undefined) {
          onResult(task, undefined)
          continue
        }
        worker ??= await this.#start()
        const answer = await worker.ask(message, limitOf(task))
        onResult(task, answer)
        // The process does not answer, or its modules are no longer what they were.
        if (answer === undefined || answer.outcome === 'unclear') {
          worker.kill()
          worker = undefined
        }
      }
      await worker?.end()
    }
    await Promise.all(Array.from({ length: Math.min(count, queue.length) }, work))
  }

  async #start() {
    const number = ++this.#started
    const log = openSync(join(this.#folder, `worker-${number}.log`), 'w')
    const child = spawn(process.execPath, [fileURLToPath(new URL('worker.mjs', import.meta.url))], {
      // Its own group: the fork of vitest ends with it.
      detached: true,
      stdio: ['ignore', log, log],
      env: {
        ...process.env,
        CI: '1',
        TMPDIR: this.#folder,
        PLUGBOARD_MUTANTS_PORT: String(this.#server.address().port),
        PLUGBOARD_MUTANTS_WORKER: String(number),
        PLUGBOARD_MUTANTS_SOURCES: this.#sources,
      },
    })
    const exited = once(child, 'exit')
    const connected = new Promise((resolve) => this.#waiting.set(number, resolve))
    const socket = await Promise.race([connected, exited.then(() => undefined)])
    if (!socket)
      throw new Error(`A process with tests did not start: see ${this.#folder}/worker-${number}.log`)
    const worker = new Worker(child, socket, exited)
    this.#running.add(worker)
    void exited.then(() => this.#running.delete(worker))
    return worker
  }

  #greet(socket) {
    const lines = createInterface({ input: socket })
    socket.on('error', () => undefined)
    const closed = new Promise((resolve) => socket.once('close', () => resolve(undefined)))
    lines.once('line', (line) => {
      const { worker } = JSON.parse(line)
      this.#waiting.get(worker)?.({ socket, lines, closed })
      this.#waiting.delete(worker)
    })
  }
}

class Worker {
  #child
  #connection
  #exited

  constructor(child, connection, exited) {
    this.#child = child
    this.#connection = connection
    this.#exited = exited
  }

  /** The answer; `undefined` if there is none in time. */
  async ask(message, limitMs) {
    const { socket, lines, closed } = this.#connection
    let timer
    const late = new Promise((resolve) => (timer = setTimeout(resolve, limitMs)))
    const answered = new Promise((resolve) => lines.once('line', (line) => resolve(JSON.parse(line))))
    socket.write(`${JSON.stringify(message)}\n`)
    try {
      return await Promise.race([answered, late, closed])
    } finally {
      clearTimeout(timer)
      lines.removeAllListeners('line')
    }
  }

  async end() {
    this.#connection.socket.write(`${JSON.stringify({ kind: 'end' })}\n`)
    const timer = setTimeout(() => this.kill(), 10_000)
    await this.#exited
    clearTimeout(timer)
  }

  kill() {
    this.#connection.socket.destroy()
    try {
      process.kill(-this.#child.pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}
