/** Under whose name a wish is written down. */
import type { CliIo } from '../io.ts';

export const whoAsks = ({ env }: Pick<CliIo, 'env'>): string => env['USER'] ?? env['LOGNAME'] ?? 'macfleet';
