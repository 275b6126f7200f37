import { taskFacts } from '../../api/task-routes.ts'
import { list } from '../../api/schema-builder.ts'
import { document } from './command-document.ts'
import type { JsonDocument } from './command-document.ts'

/** The JSON of the commands about tasks. */
export const taskDocuments: Readonly<Record<string, JsonDocument>> = {
  'tasks list': document({ tasks: list(taskFacts) }),
  'tasks wait': document({ task: taskFacts }),
  'tasks cancel': document({ task: taskFacts }),
}
