//! Random draws as a function of seed, replicate and index, as the twin defines them.

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The draws of one replicate.
pub(super) struct Stream(u64);

impl Stream {
    pub(super) fn new(seed: u64, replicate: u64) -> Self {
        let step = replicate.wrapping_add(1).wrapping_mul(STEP);
        Self(mix(seed.wrapping_add(step)))
    }

    #[inline(always)]
    pub(super) fn draw(&self, index: u64) -> u64 {
        let step = index.wrapping_add(1).wrapping_mul(STEP);
        mix(self.0.wrapping_add(step))
    }
}

#[inline(always)]
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Fills the clusters that a replicate draws.
#[inline(always)]
pub(super) fn take(taken: &mut [u32], seed: u64, replicate: u64) {
    let stream = Stream::new(seed, replicate);
    let clusters = taken.len() as u64;
    for (index, cluster) in taken.iter_mut().enumerate() {
        *cluster = (((stream.draw(index as u64) >> 32) * clusters) >> 32) as u32;
    }
}
