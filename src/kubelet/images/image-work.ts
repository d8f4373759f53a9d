/** What the parts of the image adapter share. */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import type { MeasureDisk } from '../host/host-files.ts';
import type { TartCli } from '../vm/tart-cli.ts';
import type { VmPort } from '../vm/vm-port.ts';
import type { GoldenBook } from './golden-book.ts';
import type { ImageClaims } from './image-claims.ts';

export interface ImageWork {
  readonly cli: TartCli;
  readonly vms: Pick<VmPort, 'running' | 'clone' | 'remove'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly measureDisk: MeasureDisk;
  /** On the filesystem that holds the images. */
  readonly diskPath: string;
  readonly book: GoldenBook;
  readonly claims: ImageClaims;
}
