import type { Area } from '../area.ts'
import { configHandlers } from './config-handlers.ts'
import { copyHandlers } from './copy-handlers.ts'
import { countBrokenFiles, countProblems } from './config-problems.ts'
import { editHandlers } from './edit-handlers.ts'
import { followServers } from './follow-servers.ts'
import { loginHandlers } from './login-handlers.ts'
import { serverHandlers } from './server-handlers.ts'
import { recordOf } from './server-record.ts'
import { serverRows } from './server-rows.ts'
import { trustHandlers } from './trust-handlers.ts'

export const serverArea: Area = {
  handlers: {
    ...serverHandlers,
    ...editHandlers,
    ...copyHandlers,
    ...trustHandlers,
    ...loginHandlers,
    ...configHandlers,
  },
  counts: async ({ host }) => ({
    problems: countProblems(host.discovery),
    brokenFiles: countBrokenFiles(host.discovery),
  }),
  snapshot: async (context) => {
    const record = recordOf(context)
    await record.readKnown()
    return { servers: serverRows(context), logins: [...record.logins.values()] }
  },
  follow: followServers,
}
