import Type from 'typebox'
import { type DevProcess, devStates } from '../dev-cluster/dev-control.ts'
import { nullable, oneOf } from './schema.ts'

export const WireDevProcess = Type.Object({
  name: Type.String({ description: 'Of the node that the process is, or was before it died.' }),
  state: oneOf(devStates, 'As its supervisor sees it. paused: frozen as it stood, by SIGSTOP.'),
  url: nullable('string', { description: 'Its own address, once it has listened.' }),
})

export const toWireDevProcess = ({ name, state, url }: DevProcess) => ({ name, state, url: url ?? null })
