import { Connection } from '../connections/connection.ts'
import type { OwnConnection } from '../connections/own-connections.ts'
import { raceTimeout } from '../connections/process/process-stop.ts'
import { Slots } from '../connections/slots.ts'
import { createStartedFile } from '../connections/process/started-groups.ts'
import { sweepOrphans } from '../connections/process/sweep-orphans.ts'
import { answeringOf, capabilitiesOfHost } from './host-capabilities.ts'
import { createServerEvents } from './server-events.ts'
import { createOpener } from './open-server.ts'
import { startupMsOf } from './host-context.ts'
import { StartTimes } from './start-times.ts'
import type { HostContext } from './host-context.ts'
import type { Server } from '../model/server.ts'
import type { Status } from '../model/status.ts'
import { version } from '../model/version.ts'

/** Closing waits at most this long for a disk that does not respond (FI-27). */
const diskMs = 2000

interface ConnectionSettings {
  readonly id: string
  readonly initial: Status
  readonly lifecycle: 'lazy' | 'background' | 'eager'
  /** Of a connection that is not shared. */
  readonly own?: OwnConnection
}

/** Most hosts have no container: the code is loaded only if there are files of one. */
async function sweepContainersOf({ platform, directories }: HostContext): Promise<void> {
  if ((await platform.files.list(directories.boxes)).length === 0) return
  const { sweepBoxes } = await import('./boxes/boxed-server.ts')
  await sweepBoxes(platform)
}

/** Creates the parts that all connections of a host share, and a function that makes a connection. */
export async function createParts(context: HostContext) {
  const { platform, preset, limits, directories } = context
  const { clock, cwd, files, processes } = platform
  const started = createStartedFile({ directory: directories.started, cwd, files, processes, clock })
  const swept = Promise.all([
    sweepOrphans(directories.started, { files, processes, clock }).catch(() => []),
    sweepContainersOf(context).catch(() => undefined),
  ])
  const answering = answeringOf(context)
  const self = {
    info: preset.connecting.clientInfo ?? { name: 'plugboard', version },
    capabilities: capabilitiesOfHost(context),
  }
  const caches = await context.caches()
  const opener = createOpener(context, { self, answering, caches, slots: new Slots(clock, limits.spawns) })
  const starts = new StartTimes({
    caches,
    clock,
    startupMsOf: (server) => ({
      entry: startupMsOf(server, { ...context, options: {} }),
      here: startupMsOf(server, context),
    }),
  })
  const serverEvents = await createServerEvents(context, { started, starts })

  return {
    connect(server: Server, { id, initial, lifecycle, own }: ConnectionSettings): Connection {
      const { timeouts } = server
      const idleMs = idleMsOf(server, context)
      return new Connection({
        server,
        clock,
        initial,
        open: opener.openOf(server, own),
        prepare: opener.prepareOf(server),
        redact: (text) => context.redactor.redact(text),
        mask: (text) => context.redactor.maskKnown(text),
        ...(preset.words && { reword: preset.words.connection }),
        timeouts: {
          startupMs: startupMsOf(server, context),
          callMs: timeouts.callMs ?? limits.callMs,
          maxCallMs: Math.max(limits.maxCallMs, timeouts.callMs ?? 0),
          ...(idleMs !== undefined && lifecycle === 'lazy' && { idleMs }),
        },
        restart: server.restart ?? preset.connecting.restart,
        isKeptOpen: lifecycle !== 'lazy',
        isHeld: () => own === undefined && context.subscribed.has(server.name),
        random: Math.random,
        on: serverEvents.eventsOf(server, id, own?.key),
      })
    },
    /** For a connection that has ended for good, while the host goes on. */
    async forget(id: string): Promise<void> {
      await starts.close()
      caches.forget({ id })
      await serverEvents.forget(id)
    },
    async close(): Promise<void> {
      const remembered = starts.close().then(() => caches.close())
      const written = Promise.all([started.close(), opener.close(), serverEvents.close(), remembered])
      await Promise.all([swept, raceTimeout(diskMs, written, clock)])
    },
  }
}

/** After how long a server that is not used is stopped; never if absent. */
function idleMsOf({ name, timeouts }: Server, { options }: HostContext): number | undefined {
  const given = options.idleMs?.(name, timeouts.idleMs)
  const idleMs = options.idleMs ? given : timeouts.idleMs
  return idleMs === 0 ? undefined : idleMs
}
