import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { basename, join } from 'node:path'
import { presetNames } from '../../../index.ts'
import { isObject } from '../../../internal.ts'
import { deskAddress, deskOwner, openDeskDirectory } from './desk-address.ts'
import type { DeskOwner } from './desk-address.ts'
import { leavingSockets, processOfSocket } from './private-socket.ts'
import type { DeskStatus } from '../../facts/desk/desk-facts.ts'

/** How long a gateway may take to answer. One that hangs must not hold the command. */
const answerMs = 5000

/**
 * The addresses of this user's gateways, of one preset or of all, with those that a newer version has replaced. Files that
 * killed processes left are among them.
 */
export function deskSockets(preset?: string, owner: DeskOwner = deskOwner()): readonly string[] {
  const { directory, scope, socket } = deskAddress(owner, preset ?? 'default')
  if (owner.os === 'win32')
    return preset === undefined ? presetNames.map((each) => deskAddress(owner, each).socket) : [socket]
  const { start } = leavingSockets(socket)
  const isWanted = (name: string) =>
    preset === undefined
      ? name.startsWith(`${scope}-`) && name.endsWith('.sock')
      : name === basename(socket) || processOfSocket(name, start) !== undefined
  try {
    openDeskDirectory({ directory, scope, socket })
    const names = readdirSync(directory).filter(isWanted)
    return names.sort().map((name) => join(directory, name))
  } catch {
    return []
  }
}

/** The state of each gateway of this user that runs; those that a newer version has replaced come last. */
export async function readDesks(preset?: string, owner?: DeskOwner): Promise<readonly DeskStatus[]> {
  const found = await Promise.all(deskSockets(preset, owner).map((socket) => sendCommand(socket, 'status')))
  const running = found.flatMap((text) => {
    const status = text === undefined ? undefined : (JSON.parse(text) as unknown)
    return isObject(status) && Array.isArray(status['clients']) ? [status as unknown as DeskStatus] : [] // of our own program
  })
  return running.sort((one, other) => Number(one.isLeaving) - Number(other.isLeaving))
}

/** Stops the gateways of this user, and waits until they have ended. Returns their states before. */
export async function stopDesks(preset?: string, owner?: DeskOwner): Promise<readonly DeskStatus[]> {
  // One over HTTP ends in the terminal, or with the service, that started it.
  const running = (await readDesks(preset, owner)).filter(({ url }) => url === undefined)
  await Promise.all(running.map(({ socket }) => stopDesk(socket)))
  return running
}

/** Stops the gateway at an address, and waits until it has ended. */
export async function stopDesk(socket: string): Promise<void> {
  await sendCommand(socket, 'stop')
}

/** The first line of the answer, when the connection has ended; `undefined` if there is none. */
function sendCommand(socket: string, command: 'status' | 'stop'): Promise<string | undefined> {
  return new Promise((done) => {
    const connection = connect(socket)
    let text = ''
    const finish = () => done(text.includes('\n') ? text.split('\n')[0] : undefined)
    connection.on('connect', () => connection.write(`${JSON.stringify({ plugboard: 1, command })}\n`))
    connection.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    connection.on('error', finish).on('close', finish)
    if (command === 'status') connection.setTimeout(answerMs, () => connection.destroy())
  })
}
