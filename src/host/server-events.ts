import { DropMonitor, RateLimit } from '../connections/event-limits.ts'
import type { ConnectionEvents } from '../connections/connection-options.ts'
import { createLogFile, logPath } from '../connections/process/log-file.ts'
import type { LogFile } from '../connections/process/log-file.ts'
import type { StartedFile } from '../connections/process/started-groups.ts'
import { redactCommand } from '../config/redact-text.ts'
import type { HostContext } from './host-context.ts'
import type { Server } from '../model/server.ts'
import type { Failure } from '../model/status.ts'
import type { StartTimes } from './start-times.ts'

/** The events of connections, emitted to listeners and written to the log files of the servers. */
export async function createServerEvents(
  context: HostContext,
  { started, starts }: { readonly started: StartedFile; readonly starts: StartTimes },
) {
  const { platform, events, redactor, directories } = context
  const { clock, files } = platform
  const { pid: hostPid } = await platform.processes.self()
  const redact = (text: string) => redactor.redact(text)
  const logs = new Map<string, LogFile>()
  const logOf = (id: string) => {
    const known = logs.get(id)
    if (known) return known
    const log = createLogFile({ path: logPath(directories.logs, id), files, clock, hostPid, redact })
    logs.set(id, log)
    return log
  }

  /** @param own The key of a connection that is not shared: its state is not the state of the server. */
  const eventsOf = (server: Server, id: string, own?: string): ConnectionEvents => {
    const about = { id, server: server.name }
    const said: ConnectionEvents['said'] = (stream, line) => {
      logOf(id).line(stream === 'stdout' ? `[stdout] ${line}` : line)
      events.emit({ type: 'server.said', ...about, stream, line })
    }
    const warned = (message: string) => {
      logOf(id).line(`[plugboard] ${message}`)
      events.emit({ type: 'server.warned', ...about, message })
    }
    const complaints = new DropMonitor(clock, { showLine: (line) => said('stdout', line), warn: warned })
    const rate = new RateLimit(clock, (count) =>
      warned(`${count} notifications arrived too fast and were dropped.`),
    )
    return {
      said,
      warned,
      changed(status) {
        if (own === undefined) starts.changed(server, status)
        if ('failure' in status) logOf(id).line(`[plugboard] ${failureLine(status.failure)}`)
        if (own === undefined) events.emit({ type: 'server.changed', ...about, status })
      },
      dropped: (what, sample) => complaints.dropped(what, sample),
      listOutdated: (list) =>
        own === undefined && events.notifyWatchers({ type: 'list.outdated', server: server.name, list }),
      listChanged: (list) => own === undefined && events.emit({ type: 'list.changed', ...about, list }),
      notified({ method, params }, request) {
        const from = {
          ...about,
          ...(own !== undefined && { own }),
          ...(request !== undefined && { request }),
        }
        const notified = { type: 'server.notified', ...from, method, ...(params && { params }) } as const
        if (rate.admits()) events.emit(notified)
        else events.notifyWatchers(notified)
      },
      started({ pid, startMark, tag, command }) {
        const line = lineOf(server, redact)
        started.started({ id, name: server.name, pid, startMark, tag, command, line })
        events.emit({ type: 'server.started', ...about, pid, command })
      },
      ended: (mark) => started.stopped(mark),
      left({ left, suspects = [] }) {
        const about = { id, name: server.name }
        started.left([
          ...left.map(({ pid, startMark }) => ({ ...about, pid, startMark, isCertain: true })),
          ...suspects.map(({ pid, startMark }) => ({ ...about, pid, startMark, isCertain: false })),
        ])
        if (left.length > 0)
          warned(`These of its processes could not be ended: ${left.map(({ pid }) => pid).join(', ')}.`)
        // Suspects are not in its log: on a busy machine they are mostly other programs. `status` names them while they run.
      },
    }
  }
  /** Closes the log of a server whose connection has ended for good. */
  const forget = async (id: string) => {
    const log = logs.get(id)
    logs.delete(id)
    await log?.close()
  }
  return { eventsOf, forget, close: () => Promise.all([...logs.values()].map((log) => log.close())) }
}

/** A failure as one line, with its code first. */
function failureLine({ code, message }: Failure): string {
  return `${code}: ${message.replaceAll(/\s+/g, ' ')}`
}

const maxLineChars = 300

/** The command line as the entry has it: placeholders are not replaced, and literal secrets are masked. */
function lineOf({ transport }: Server, redact: (text: string) => string): string {
  if (transport.kind !== 'stdio') return ''
  return redact(redactCommand(transport.command, transport.args)).slice(0, maxLineChars)
}
