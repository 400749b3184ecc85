// The thread that reads or writes one large YAML text. Its result, or its failure, is its end.

import { parentPort, workerData } from 'node:worker_threads'
import { runYamlTask, type YamlTask } from './yaml-task.ts'

parentPort?.postMessage(runYamlTask(workerData as YamlTask))
