import { closeSync, unlinkSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { nodePlatform, version } from '../../../index.ts'
import { deskAddress, deskOwner, openDeskDirectory } from './desk-address.ts'
import { openDeskLog } from './desk-log.ts'
import { Desk } from './desk.ts'

/** The process of the gateway of a user. It tells the process that started it when it listens, on file descriptor 3. */
export async function runDesk(preset: string): Promise<void> {
  const { log } = openDeskLog(preset)
  try {
    const address = deskAddress(deskOwner(), preset)
    openDeskDirectory(address)
    const desk = new Desk({ preset, socket: address.socket, log })
    // Two clients may start one at the same moment: the second finds that the first listens.
    const isFirst = await nodePlatform().lock(`${address.socket}.start`, async () => {
      if (await isAlive(address.socket)) return false
      removeOld(address.socket)
      await desk.listen()
      return true
    })
    tell('ready')
    if (!isFirst) process.exit(0)
    log(`Plugboard ${version} listens, process ${process.pid}.`)
    endOnSignals(desk, log)
    await desk.ended
    log('No client is left; ended.')
    process.exit(0)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    log(`Not started: ${message}`)
    tell(message)
    process.exit(1)
  }
}

function endOnSignals(desk: Desk, log: (message: string) => void): void {
  let signals = 0
  for (const name of ['SIGTERM', 'SIGINT'] as const)
    process.on(name, () => {
      signals += 1
      if (signals > 2) process.exit(1)
      log(`Ended by ${name}.`)
      void desk.stop({ deadlineMs: signals === 1 ? 10_000 : 0 })
    })
  process.on('SIGHUP', () => undefined)
  const onFault = (error: unknown) => {
    log(`A bug in Plugboard: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    void desk.stop({ deadlineMs: 0, isFault: true }).finally(() => process.exit(70))
  }
  process.on('uncaughtException', onFault)
  process.on('unhandledRejection', onFault)
}

function isAlive(socket: string): Promise<boolean> {
  return new Promise((done) => {
    const found = connect(socket)
    found.on('connect', () => {
      found.destroy()
      done(true)
    })
    found.on('error', () => done(false))
  })
}

/** What a killed process left: nothing listens there, and the lock is held. */
function removeOld(socket: string): void {
  if (process.platform === 'win32') return
  try {
    unlinkSync(socket)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function tell(text: string): void {
  try {
    writeSync(3, text)
    closeSync(3)
  } catch {
    // The process that started this one is gone, or was not one of ours.
  }
}
