import type { ComponentProps } from 'preact'
import type { ServerRow } from '../../../../../src/client.ts'
import type { Task } from '../server-address.ts'
import { FileChange } from './file-change.tsx'
import { InputsTask } from './inputs-task.tsx'
import { LoginTask } from './login-task.tsx'
import { TrustTask } from './trust-task.tsx'

interface ServerTaskProps {
  readonly server: ServerRow
  readonly task: Task
  readonly detail: ComponentProps<typeof InputsTask>['detail']
}

export function ServerTask({ server, task, detail }: ServerTaskProps) {
  switch (task) {
    case 'trust':
      return <TrustTask server={server} />
    case 'login':
      return <LoginTask server={server} />
    case 'inputs':
      return <InputsTask server={server} detail={detail} />
    case 'enable':
    case 'disable':
    case 'remove':
      return <FileChange server={server} change={task} />
  }
}
