//! Decodes, measures, shrinks and encodes pictures within fixed limits.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::imageops;
use image::metadata::Orientation;
use image::{
    ColorType, DynamicImage, GenericImageView, ImageDecoder, ImageError, ImageFormat, ImageReader,
    Limits,
};

/// The most bytes of a picture that an agent passes in one call; it also bounds the decoder's work.
const DATA_BYTES_MAX: usize = 20 * 1024 * 1024;
/// A picture of few bytes may unpack to gigabytes of pixels.
const PIXELS_MAX: u64 = 50_000_000;
const SIDE_PIXELS_MAX: u32 = 30_000;
const DECODER_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// The reason why a picture could not be handled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The data is no picture that can be read.
    Decode(String),
    /// The picture is beyond a limit.
    TooLarge(String),
    /// The result could not be encoded.
    Encode(String),
}

/// The properties of a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureProperties {
    /// Width in pixels when upright.
    pub width: u32,
    /// Height in pixels when upright.
    pub height: u32,
    /// Media type of the format found in the data.
    pub media_type: &'static str,
    /// True if there is an alpha channel.
    pub transparent: bool,
    /// Channels and bits, such as `rgb 8 bit`.
    pub colours: String,
}

/// The encoding of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Lossy, opaque.
    Jpeg,
    /// Lossless.
    Png,
}

/// A picture that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedPicture {
    /// Media type of `data`.
    pub media_type: &'static str,
    /// The encoded picture.
    pub data: Vec<u8>,
}

/// Reads the header of a picture.
///
/// # Errors
/// When the data is no readable picture, or is beyond the limits.
pub fn describe(data: &[u8]) -> Result<PictureProperties, Fault> {
    let (mut decoder, format) = decoder(data)?;
    let (width, height) = decoder.dimensions();
    let (width, height) = if turns_sideways(decoder.orientation().map_err(decode_fault)?) {
        (height, width)
    } else {
        (width, height)
    };
    let colours = decoder.color_type();
    Ok(PictureProperties {
        width,
        height,
        media_type: format.to_mime_type(),
        transparent: colours.has_alpha(),
        colours: colour_name(colours),
    })
}

/// Makes a picture fit into a square of `longest_side` pixels; never enlarges it.
///
/// # Errors
/// When the data is no readable picture, or is beyond the limits.
pub fn shrink(
    data: &[u8],
    longest_side: u32,
    encoding: Option<Encoding>,
    quality: u8,
) -> Result<EncodedPicture, Fault> {
    let (mut decoder, _) = decoder(data)?;
    let orientation = decoder.orientation().map_err(decode_fault)?;
    let mut picture = DynamicImage::from_decoder(decoder).map_err(decode_fault)?;
    let (width, height) = picture.dimensions();
    if width.max(height) > longest_side {
        picture = picture.resize(longest_side, longest_side, imageops::FilterType::CatmullRom);
    }
    picture.apply_orientation(orientation);
    let encoding = encoding.unwrap_or(if is_transparent(&picture) {
        Encoding::Png
    } else {
        Encoding::Jpeg
    });
    encode(&picture, encoding, quality)
}

fn decoder(data: &[u8]) -> Result<(impl ImageDecoder + '_, ImageFormat), Fault> {
    if data.len() > DATA_BYTES_MAX {
        return Err(Fault::TooLarge(format!(
            "the picture has {} bytes, more than {DATA_BYTES_MAX}",
            data.len()
        )));
    }
    let mut reader = ImageReader::new(Cursor::new(data))
        .with_guessed_format()
        .map_err(|error| Fault::Decode(format!("the picture cannot be read: {error}")))?;
    let format = reader
        .format()
        .ok_or_else(|| Fault::Decode("the data is not a picture of a known format".to_owned()))?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(SIDE_PIXELS_MAX);
    limits.max_image_height = Some(SIDE_PIXELS_MAX);
    limits.max_alloc = Some(DECODER_BYTES_MAX);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(decode_fault)?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > PIXELS_MAX {
        return Err(Fault::TooLarge(format!(
            "the picture has {width} by {height} pixels, more than {PIXELS_MAX} in all"
        )));
    }
    Ok((decoder, format))
}

fn encode(
    picture: &DynamicImage,
    encoding: Encoding,
    quality: u8,
) -> Result<EncodedPicture, Fault> {
    let mut data = Vec::new();
    let (written, media_type) = match encoding {
        Encoding::Jpeg => {
            let encoder = JpegEncoder::new_with_quality(&mut data, quality);
            (on_white(picture).write_with_encoder(encoder), "image/jpeg")
        }
        Encoding::Png => {
            let encoder = PngEncoder::new_with_quality(
                &mut data,
                CompressionType::Default,
                FilterType::Adaptive,
            );
            let eight_bit = if is_transparent(picture) {
                DynamicImage::from(picture.to_rgba8())
            } else {
                DynamicImage::from(picture.to_rgb8())
            };
            (eight_bit.write_with_encoder(encoder), "image/png")
        }
    };
    match written {
        Ok(()) => Ok(EncodedPicture { media_type, data }),
        Err(error) => Err(Fault::Encode(format!(
            "the thumbnail cannot be encoded: {error}"
        ))),
    }
}

/// JPEG knows no transparency; what shines through is white, as on most pages.
fn on_white(picture: &DynamicImage) -> DynamicImage {
    let mut flat = image::RgbImage::new(picture.width(), picture.height());
    for (target, pixel) in flat.pixels_mut().zip(picture.to_rgba8().pixels()) {
        let [red, green, blue, alpha] = pixel.0.map(u16::from);
        target.0 = [red, green, blue]
            .map(|channel| ((channel * alpha + 255 * (255 - alpha) + 127) / 255) as u8);
    }
    DynamicImage::from(flat)
}

/// Many pictures have an alpha channel that is full everywhere; they are as good as opaque.
fn is_transparent(picture: &DynamicImage) -> bool {
    picture.color().has_alpha()
        && picture
            .to_rgba8()
            .pixels()
            .any(|pixel| pixel.0[3] < u8::MAX)
}

fn turns_sideways(orientation: Orientation) -> bool {
    matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    )
}

fn colour_name(colours: ColorType) -> String {
    let channels = match (colours.has_color(), colours.has_alpha()) {
        (false, false) => "gray",
        (false, true) => "gray with alpha",
        (true, false) => "rgb",
        (true, true) => "rgb with alpha",
    };
    let bits = colours.bits_per_pixel() / u16::from(colours.channel_count());
    format!("{channels} {bits} bit")
}

fn decode_fault(error: ImageError) -> Fault {
    match error {
        ImageError::Limits(_) => Fault::TooLarge(format!("the picture is too large: {error}")),
        _ => Fault::Decode(format!("the picture cannot be read: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage, Rgba, RgbaImage};

    fn photograph(width: u32, height: u32) -> DynamicImage {
        RgbImage::from_fn(width, height, |x, y| Rgb([x as u8, y as u8, 128])).into()
    }

    fn glass(width: u32, height: u32) -> DynamicImage {
        RgbaImage::from_fn(width, height, |x, _| Rgba([255, 0, 0, x as u8])).into()
    }

    fn written(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut data = Cursor::new(Vec::new());
        picture.write_to(&mut data, format).unwrap();
        data.into_inner()
    }

    #[track_caller]
    fn check_described(data: &[u8], expected: (u32, u32, &str, bool, &str)) {
        let found = describe(data).unwrap();
        assert_eq!(
            (
                found.width,
                found.height,
                found.media_type,
                found.transparent,
                found.colours.as_str()
            ),
            expected
        );
    }

    #[test]
    fn pictures_are_described() {
        let photograph = photograph(40, 30);
        check_described(
            &written(&photograph, ImageFormat::Png),
            (40, 30, "image/png", false, "rgb 8 bit"),
        );
        check_described(
            &written(&photograph, ImageFormat::Jpeg),
            (40, 30, "image/jpeg", false, "rgb 8 bit"),
        );
        check_described(
            &written(&photograph, ImageFormat::Gif),
            (40, 30, "image/gif", true, "rgb with alpha 8 bit"),
        );
        check_described(
            &written(&photograph, ImageFormat::WebP),
            (40, 30, "image/webp", false, "rgb 8 bit"),
        );
        let deep = DynamicImage::from(photograph.to_luma16());
        check_described(
            &written(&deep, ImageFormat::Png),
            (40, 30, "image/png", false, "gray 16 bit"),
        );
        check_described(
            &written(&glass(8, 8), ImageFormat::Png),
            (8, 8, "image/png", true, "rgb with alpha 8 bit"),
        );
    }

    #[track_caller]
    fn check_shrunk(
        picture: &DynamicImage,
        side: u32,
        encoding: Option<Encoding>,
        expected: (u32, u32, &str),
    ) {
        let small = shrink(&written(picture, ImageFormat::Png), side, encoding, 80).unwrap();
        let found = describe(&small.data).unwrap();
        assert_eq!(found.media_type, small.media_type);
        assert_eq!((found.width, found.height, found.media_type), expected);
    }

    #[test]
    fn pictures_shrink_and_never_grow() {
        check_shrunk(&photograph(400, 300), 100, None, (100, 75, "image/jpeg"));
        check_shrunk(&photograph(300, 400), 100, None, (75, 100, "image/jpeg"));
        check_shrunk(&photograph(40, 30), 100, None, (40, 30, "image/jpeg"));
        check_shrunk(&photograph(400, 1), 100, None, (100, 1, "image/jpeg"));
        check_shrunk(
            &photograph(400, 300),
            100,
            Some(Encoding::Png),
            (100, 75, "image/png"),
        );
        check_shrunk(&glass(200, 200), 50, None, (50, 50, "image/png"));
        check_shrunk(
            &glass(200, 200),
            50,
            Some(Encoding::Jpeg),
            (50, 50, "image/jpeg"),
        );
        let opaque = DynamicImage::from(photograph(200, 100).to_rgba8());
        check_shrunk(&opaque, 50, None, (50, 25, "image/jpeg"));
        check_shrunk(
            &DynamicImage::from(photograph(200, 100).to_luma16()),
            50,
            None,
            (50, 25, "image/jpeg"),
        );
    }

    #[test]
    fn transparency_becomes_white_in_jpeg() {
        let clear = DynamicImage::from(RgbaImage::from_pixel(32, 32, Rgba([0, 0, 0, 0])));
        let small = shrink(
            &written(&clear, ImageFormat::Png),
            16,
            Some(Encoding::Jpeg),
            90,
        )
        .unwrap();
        let pixel = image::load_from_memory(&small.data)
            .unwrap()
            .to_rgb8()
            .get_pixel(8, 8)
            .0;
        assert!(pixel.iter().all(|&channel| channel > 250), "{pixel:?}");
    }

    #[test]
    fn sideways_photographs_are_turned_upright() {
        let mut data = written(&photograph(40, 30), ImageFormat::Jpeg);
        // An APP1 segment with a TIFF of one entry: orientation (0x0112) 6, turn right.
        let exif: &[u8] = b"\xff\xe1\x00\x22Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
        data.splice(2..2, exif.iter().copied());
        check_described(&data, (30, 40, "image/jpeg", false, "rgb 8 bit"));
        let small = shrink(&data, 20, None, 80).unwrap();
        check_described(&small.data, (15, 20, "image/jpeg", false, "rgb 8 bit"));
    }

    #[track_caller]
    fn check_fault(data: &[u8], expected: fn(&Fault) -> bool) {
        let described = describe(data)
            .map(|_| ())
            .and_then(|()| shrink(data, 10, None, 80).map(|_| ()));
        let fault = described.unwrap_err();
        assert!(expected(&fault), "{fault:?}");
    }

    #[test]
    fn broken_and_huge_pictures_are_refused() {
        let is_decode: fn(&Fault) -> bool = |fault| matches!(fault, Fault::Decode(_));
        let is_too_large: fn(&Fault) -> bool = |fault| matches!(fault, Fault::TooLarge(_));
        check_fault(b"", is_decode);
        check_fault(b"plain text", is_decode);
        let png = written(&photograph(40, 30), ImageFormat::Png);
        check_fault(&png[..png.len() / 2], is_decode);
        // The header of a PNG that claims 20000 by 20000 pixels.
        let mut bomb = png;
        bomb[16..24].copy_from_slice(&[0, 0, 0x4e, 0x20, 0, 0, 0x4e, 0x20]);
        let checksum = crc32(&bomb[12..29]);
        bomb[29..33].copy_from_slice(&checksum.to_be_bytes());
        check_fault(&bomb, is_too_large);
        check_fault(&vec![0; DATA_BYTES_MAX + 1], is_too_large);
    }

    fn crc32(data: &[u8]) -> u32 {
        !data.iter().fold(u32::MAX, |crc, &byte| {
            (0..8).fold(crc ^ u32::from(byte), |crc, _| {
                (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg())
            })
        })
    }
}
